# Reads cobertura's XML: a line for each room and for each watched part, the verdict on their places, and the lines of the whole engine.
# Given: watched (NAME=PATTERN of file names, one after the other), demanded (per cent of lines), reasons (the committed list).
# What stands below a switch that breaks a rule on purpose is never reached in this build, nor the other branch of the switch: the lane of the
# mutants takes both, so such lines do not count. A line that goes on behind the switch does.
function trimmed(text) { gsub(/^[ \t]+|[ \t\r]+$/, "", text); return text }
function percent(part, whole) { return whole ? 100 * part / whole : 100 }

# Files of the engine are read once.
function read(file,    path, text, n, depth, below) {
  if (file in known) return
  known[file] = 1
  path = "src/Voron.Storage/" file
  while ((getline text < path) > 0) {
    code[file, ++n] = trimmed(text)
    match(text, /^ */)
    if (!below && text ~ /^ *(if \(Sabotage\.Is\([A-Za-z.]*\)\)|\[Conditional\("SABOTAGE"\)\])$/) { below = 1; depth = RLENGTH }
    if (below) broken[file, n] = 1
    if (below && RLENGTH == depth && text ~ /}$/) below = 0
  }
  close(path)
}

function part(file,    i) {
  for (i = 1; i <= groups; i++) if (file ~ pattern[i]) return group[i]
  return ""
}

function count(name) {
  lines[name]++; hit[name] += !miss[key]
  branches[name] += branch[key]; reached[name] += taken[key]
}

function row(name, more) {
  return sprintf("%-14s lines %5d of %5d  %5.1f %%   branches %5d of %5d  %5.1f %%%s", name, hit[name], lines[name],
    percent(hit[name], lines[name]), reached[name], branches[name], percent(reached[name], branches[name]), more)
}

# Sorts so many of the array `sorted`.
function sort(n,    i, j, text) {
  for (i = 2; i <= n; i++) {
    text = sorted[i]
    for (j = i; j > 1 && sorted[j - 1] > text; j--) sorted[j] = sorted[j - 1]
    sorted[j] = text
  }
}

BEGIN {
  groups = split(watched, pattern, " ")
  for (i = 1; i <= groups; i++) { group[i] = pattern[i]; sub(/=.*/, "", group[i]); sub(/^[^=]*=/, "", pattern[i]) }
}

match($0, /filename="[^"]*"/) { file = substr($0, RSTART + 10, RLENGTH - 11); sub(/.*Voron\.Storage[\/\\]/, "", file); read(file) }
/<methods>/ { inMethods = 1 }
/<\/methods>/ { inMethods = 0 }

# A line may belong to a method and to a lambda inside it: it counts once, and is reached when one of them is.
!inMethods && /<line number=/ {
  match($0, /number="[0-9]+"/); number = substr($0, RSTART + 8, RLENGTH - 9)
  if ((file, number) in broken) next
  key = file ":" number
  if (!(key in fileOf)) { keys[++all] = key; fileOf[key] = file; numberOf[key] = number; miss[key] = 1 }
  if ($0 !~ /hits="0"/) miss[key] = 0
  if (match($0, /\([0-9]+\/[0-9]+\)/)) {
    split(substr($0, RSTART + 1, RLENGTH - 2), both, "/")
    taken[key] += both[1]; branch[key] += both[2]
  }
}

END {
  for (i = 1; i <= all; i++) {
    key = keys[i]; file = fileOf[key]; name = file
    if (!sub(/\/.*/, "", name)) name = "(doors)"
    rooms[name] = 1
    count(name); count("engine")
    if ((name = part(file)) == "") continue
    count(name)
    if (taken[key] + 0 == branch[key] + 0 && !miss[key]) continue
    place = file " | " code[file, numberOf[key]]
    places[place]++; placesOf[name]++
    what = branch[key] ? taken[key] + 0 " of " branch[key] " branches" : "not reached"
    shown[place] = shown[place] (shown[place] == "" ? "" : ", ") sprintf("%s:%d %s", file, numberOf[key], what)
  }

  n = 0
  for (name in rooms) sorted[++n] = name
  sort(n)
  for (i = 1; i <= n; i++) print row(sorted[i], "")
  print row("engine", "")
  print ""
  for (i = 1; i <= groups; i++) print row(group[i], sprintf("   places %d", placesOf[group[i]]))

  while ((getline text < reasons) > 0) {
    text = trimmed(text)
    if (text == "" || text ~ /^#/) continue
    n = split(text, piece, " \\| ")
    if (n < 3) { print "Not FILE | LINE | REASON: " text; bad++; continue }
    place = substr(text, 1, length(text) - length(piece[n]) - 3)
    given[place]++; reasoned++
    rare[place] += piece[n] ~ /^now and then/
  }

  n = 0
  for (place in given) if (given[place] > places[place] + rare[place]) sorted[++n] = "A reason without a place: " place
  for (place in places) if (given[place] + 0 < places[place]) sorted[++n] = "A place without a reason: " shown[place] substr(place, index(place, " | "))
  sort(n)
  for (i = 1; i <= n; i++) print sorted[i]
  bad += n
  share = percent(hit["engine"], lines["engine"])
  if (share < demanded) { bad++; printf "Only %.1f %% of the lines are reached; %d %% are demanded.\n", share, demanded }
  printf "\nCoverage %s: %.1f %% of the lines; %d reasons.\n", bad ? "FAILED" : "good", share, reasoned
  exit bad ? 1 : 0
}
