using Voron.Mutants;

// Copies the engine and the tests that judge it into a folder, with every edit of the table made; what has not changed since the last
// time is left as it is, so that the build there is an incremental one.
if (args is not [string target])
{
    Console.Error.WriteLine("usage: dotnet run --project tests/Voron.Mutants -- FOLDER");
    return 1;
}

string root = Directory.GetCurrentDirectory();
string engine = Path.Combine("src", "Voron.Storage");
if (!Directory.Exists(Path.Combine(root, engine)))
{
    Console.Error.WriteLine($"There is no {engine} in {root}: run it in the root of the repository.");
    return 1;
}

MutantTable table = MutantTable.Load(Path.Combine(root, "tests", "Voron.Mutants", "Table"));
var copied = new HashSet<string>();
foreach (string path in Sources(root))
{
    string text = File.ReadAllText(Path.Combine(root, path));
    bool isEngine = path.StartsWith(engine + Path.DirectorySeparatorChar, StringComparison.Ordinal);
    Write(path, isEngine ? table.Apply(Path.GetRelativePath(engine, path).Replace('\\', '/'), text) : text);
}

Write(Path.Combine(engine, "Mutant.cs"), table.Switches());
foreach (string path in Sources(target).Where(path => !copied.Contains(path)).ToList())
{
    File.Delete(Path.Combine(target, path));
}

Console.WriteLine($"{table.Rules.Count} rules to break, {table.Edits.Count} edits, in {target}");
return 0;

void Write(string path, string text)
{
    string file = Path.Combine(target, path);
    copied.Add(path);
    if (!File.Exists(file) || File.ReadAllText(file) != text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}

static IEnumerable<string> Sources(string root)
{
    string[] folders =
        ["src/Voron.Native", "src/Voron.Storage", "src/Voron.Storage.Typed", "tests/Voron.CrashWriter", "tests/Voron.Simulation"];
    return folders.Select(folder => Path.Combine(root, folder)).Where(Directory.Exists)
        .SelectMany(static folder => Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        .Concat(Directory.EnumerateFiles(root, "Directory.*"))
        .Concat(Directory.EnumerateFiles(root, "global.json"))
        .Concat(Directory.EnumerateFiles(root, ".editorconfig"))
        .Select(file => Path.GetRelativePath(root, file))
        .Where(static path => !path.Split('/', '\\').Any(static part => part is "bin" or "obj"));
}
