using System.Globalization;
using Voron.CrashWriter;

// Usage: Voron.CrashWriter FOLDER SEED         writes transactions until it is killed; standard output learns what was acknowledged
//        Voron.CrashWriter FOLDER tables SEED builds indexes beside a writer until it is killed; standard output learns the same
//        Voron.CrashWriter FOLDER rnd|seq N    commits N transactions of 100 puts (16-byte keys, 100-byte values), durable, and ends
//        Voron.CrashWriter FOLDER NAME SEED    one of the short lives of CrashWorkload; exit code 4 for an error of the engine's own
//        Voron.CrashWriter FOLDER read              opens read-only and prints how many entries there are
//        Voron.CrashWriter FOLDER open|commit N     opens N new databases, or also commits to each, and prints what the process maps then
//        Voron.CrashWriter trespass KIND               touches memory that is not its own, in the checked build; see Trespass
#if MUTANTS
if (Environment.GetEnvironmentVariable(CrashProgram.BrokenRule) is { Length: > 0 } rule)
{
    Voron.Storage.Mutant.Broken = rule;
}

#endif
#if CHECKED
if (args is ["trespass", string kind])
{
    return Trespass.Run(kind, beyond: true);
}

#endif
return args switch
{
    [string folder, "read"] => Headline.Read(folder),
    [string folder, string seed] when ulong.TryParse(seed, out ulong number) => CrashWriting.Run(folder, number),
    [string folder, "open" or "commit", string count] =>
        Headline.Map(folder, int.Parse(count, CultureInfo.InvariantCulture), commits: args[1] == "commit"),
    [string folder, "rnd" or "seq", string count] => Headline.Run(folder, args[1] == "rnd", int.Parse(count, CultureInfo.InvariantCulture)),
    [string folder, "tables", string seed] => TableWriting.Run(folder, ulong.Parse(seed, CultureInfo.InvariantCulture)),
    [string folder, string name, string seed] when ulong.TryParse(seed, out ulong number) => CrashWorkload.Run(folder, name, number),
    _ => 2,
};
