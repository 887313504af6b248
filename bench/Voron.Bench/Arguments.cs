using System.Globalization;
using Voron.Bench.Verbs;

namespace Voron.Bench;

/// <summary>The command line, taken apart.</summary>
internal sealed record Arguments
{
    internal static readonly string Usage = $"""
        usage: dotnet run -c Release --project bench/Voron.Bench [-- VERB [OPTION]...]

        verbs
        {string.Join('\n', VerbTable.All.Select(static verb => $"  {verb.Name,-20} {verb.Says}"))}
          bdn [ARGUMENT]...    BenchmarkDotNet; all further arguments are its own

        options
          --dir DIR            where the files are made, in a folder of their own that is removed again (default: the system's temp folder)
          --json FILE          the rows for machines; the verb all keeps each finished group there and goes on where it ended,
                               the verb report reads it
          --rounds N           rounds of each row (default 5; all and peers: 3)
          --transactions N     transactions of each round, of 100 puts each (default 10,000)
          --scale X            makes all counts of the verbs since 'peers' smaller or larger (default 1)
          --only TEXT,TEXT     peers, matrix and all: only the groups whose names contain one of these texts
          --engines TEXT,TEXT  peers, io, sustain, cold, replica and all: only the engines whose names contain one of these texts
          --cap SECONDS        a peer's round that takes longer ends early, and its row says so (default 10; all: 3); not that of the
                               headline, which runs all transactions unless they take more than 10 minutes; in the verb sustain the
                               longest fill of each engine, ours as well (default 190), and in cold the longest phase (default 300)
          --readme-only        the verb report writes the README's block, and no pages
          --minutes N          how long the verb soak runs (default 10)
          --megabytes N        size that the verbs checkpoint and windows-sync let a database grow to, and of the tree of the verb cold
                               (default 3,072)
          --memory N           MiB that the verb cold (default a quarter of the tree) and a fill of the verb sustain (default: all)
                               may use
          --seconds N          how long the gets and the puts of the verb cold run (default 20)
          --items N            items that the verb sustain puts (default 20,000,000)
          --rows N             rows that the verb tables inserts; its index build has ten times as many (default 100,000)
          --puts N             puts of a transaction of the verbs sustain and cold (default 100)
          --dirty N            MaxDirtyBytes of ours in the verb sustain, in MiB (default: that of the option)
          --load NAME          what the verb sustain does: fill (default, and with --kill), updates, skewed or deletes
          --write-optimized    the verb sustain fills a write-optimized tree of ours
          --reads              the verb sustain times gets and positions in ours as the fill has left it, and when all is merged
          --soft N             JournalSoftLimitBytes of ours in the verb sustain, in MiB (default: that of the option)
          --kill               the verb sustain kills the process that fills ours when all is put, and times the next open
          --kill-after SECONDS the same so long after the fill began, if it is not over by then
          --constant-values    one value for all items, as the harness of 2013 had it
          --memory-as-found    the verb checkpoint takes no memory that it gives back during each fill, as it does so that none waits
          --counts-only        the verb quick demands bytes, writes, syncs and allocations per commit, and measures no times
          --full               the verb reads measures 10,000,000 items as well, and huge has the sizes that are promised:
                               10 M puts, 4 GiB of values, 2 GiB dropped, ten overwrites
          --seed N             seed of keys and values (default 1)
        """;

    /// <summary>The command line as it is to be told: without folders, which another machine does not have.</summary>
    internal string Line { get; private set; } = string.Empty;

    /// <summary>What is to be done.</summary>
    internal string Verb { get; private set; } = "headline";

    /// <summary>The folder that takes the run's folder; null for the system's temp folder.</summary>
    internal string? Directory { get; private set; }

    /// <summary>The file that takes the rows, or null.</summary>
    internal string? JsonPath { get; private set; }

    /// <summary>Rounds of each row, where the command line says so.</summary>
    internal int? WantedRounds { get; private set; }

    /// <summary>Rounds of each row.</summary>
    internal int Rounds => WantedRounds ?? 5;

    /// <summary>Transactions of each round.</summary>
    internal int Transactions { get; private set; } = 10_000;

    /// <summary>By what counts are multiplied.</summary>
    internal double Scale { get; private set; } = 1;

    /// <summary>Texts of which one must be in a group's name; empty for all groups.</summary>
    internal IReadOnlyList<string> Only { get; private set; } = [];

    /// <summary>Texts of which one must be in an engine's name; empty for all engines.</summary>
    internal IReadOnlyList<string> Engines { get; private set; } = [];

    /// <summary>Longest round of a peer, where the command line says so.</summary>
    internal double? WantedCapSeconds { get; private set; }

    /// <summary>Longest round of a peer.</summary>
    internal double CapSeconds => WantedCapSeconds ?? 10;

    /// <summary>Longest round of a peer where all of its transactions are wanted.</summary>
    internal double WholeCapSeconds { get; private init; } = 600;

    /// <summary>Whether only the README's block is written.</summary>
    internal bool IsReadmeOnly { get; private set; }

    /// <summary>Length of the soak.</summary>
    internal int Minutes { get; private set; } = 10;

    /// <summary>Size that a database grows to where growth is measured.</summary>
    internal long Megabytes { get; private set; } = 3072;

    /// <summary>Memory that the verbs cold and sustain may use, where the command line says so.</summary>
    internal long? WantedMemoryMebibytes { get; private set; }

    /// <summary>Memory that the verb cold may use.</summary>
    internal long MemoryMebibytes => WantedMemoryMebibytes ?? Megabytes / 4;

    /// <summary>Length of a phase of the verb cold.</summary>
    internal int Seconds { get; private set; } = 20;

    /// <summary>Items of the verb sustain.</summary>
    internal int Items { get; private set; } = 20_000_000;

    /// <summary>Rows that the verb tables inserts.</summary>
    internal int Rows { get; private set; } = 100_000;

    /// <summary>Puts of a transaction where they can be chosen.</summary>
    internal int Puts { get; private set; } = 100;

    /// <summary>What the verb sustain does.</summary>
    internal PutLoad Load { get; private set; }

    /// <summary>Whether it fills a write-optimized tree of ours.</summary>
    internal bool IsWriteOptimized { get; private set; }

    /// <summary>Whether it times reads as well.</summary>
    internal bool HasReads { get; private set; }

    /// <summary>The setting of ours in the verb sustain; null for its default.</summary>
    internal long? DirtyMebibytes { get; private set; }

    /// <summary>JournalSoftLimitBytes of ours in the verb sustain; null for its default.</summary>
    internal long? SoftMebibytes { get; private set; }

    /// <summary>Whether the fill of ours is killed.</summary>
    internal bool IsKilled { get; private set; }

    /// <summary>When, if before its end.</summary>
    internal double? KillAfterSeconds { get; private set; }

    /// <summary>Whether all items have one value.</summary>
    internal bool HasConstantValues { get; private set; }

    /// <summary>Whether fills may have to wait until the system has memory for them.</summary>
    internal bool LeavesMemoryAsFound { get; private set; }

    /// <summary>Whether only what is exact is measured, and demanded.</summary>
    internal bool IsCountsOnly { get; private set; }

    /// <summary>Whether the long rows are wanted too, and the verb huge at its whole size.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>Seed of keys and values.</summary>
    internal ulong Seed { get; private set; } = 1;

    /// <summary>Whether a group is wanted.</summary>
    internal bool Wants(string group) => Only.Count == 0 || Only.Any(text => group.Contains(text, StringComparison.OrdinalIgnoreCase));

    /// <summary>Whether an engine is wanted.</summary>
    internal bool WantsEngine(string engine) =>
        Engines.Count == 0 || Engines.Any(text => engine.Contains(text, StringComparison.OrdinalIgnoreCase));

    /// <summary>The same with three rounds of each row, and short ones of peers, where the command line does not say otherwise.</summary>
    internal Arguments ForWholeRun() => this with { WantedRounds = WantedRounds ?? 3, WantedCapSeconds = WantedCapSeconds ?? 3 };

    /// <summary>The same so small that all of it is over soon.</summary>
    internal Arguments ForQuickRun() =>
        this with { WantedRounds = WantedRounds ?? 1, Scale = Scale / 5, WantedCapSeconds = Math.Min(CapSeconds, 3), WholeCapSeconds = 3 };

    /// <summary>Takes the command line apart; false with one sentence about the first thing that is wrong.</summary>
    internal static bool TryParse(ReadOnlySpan<string> args, out Arguments arguments, out string problem)
    {
        arguments = new Arguments { Line = LineOf(args) };
        problem = string.Empty;
        if (args.Length > 0 && !args[0].StartsWith('-'))
        {
            arguments.Verb = args[0];
            args = args[1..];
        }

        if (arguments.Verb != "help" && VerbTable.Find(arguments.Verb) is null)
        {
            problem = $"There is no verb '{arguments.Verb}'.";
            return false;
        }

        while (args.Length > 0)
        {
            if (args[0] is "--help" or "-h" or "-?")
            {
                arguments.Verb = "help";
                return true;
            }

            if (arguments.TrySet(args[0]))
            {
                args = args[1..];
                continue;
            }

            if (args.Length == 1 || !arguments.TrySet(args[0], args[1]))
            {
                problem = args.Length == 1 ? $"'{args[0]}' is no option, or lacks its value." : $"'{args[0]} {args[1]}' is not understood.";
                return false;
            }

            args = args[2..];
        }

        return true;
    }

    private static string LineOf(ReadOnlySpan<string> args)
    {
        List<string> words = [];
        for (int i = 0; i < args.Length; i++)
        {
            string before = i == 0 ? string.Empty : args[i - 1];
            if (args[i] != "--dir" && before != "--dir")
            {
                words.Add(before == "--json" ? Path.GetFileName(args[i]) : args[i]);
            }
        }

        return string.Join(' ', words);
    }

    private bool TrySet(string option)
    {
        switch (option)
        {
            case "--full":
                return IsFull = true;
            case "--constant-values":
                return HasConstantValues = true;
            case "--counts-only":
                return IsCountsOnly = true;
            case "--readme-only":
                return IsReadmeOnly = true;
            case "--write-optimized":
                return IsWriteOptimized = true;
            case "--reads":
                return HasReads = true;
            case "--kill":
                return IsKilled = true;
            case "--memory-as-found":
                return LeavesMemoryAsFound = true;
            default:
                return false;
        }
    }

    private bool TrySet(string option, string value)
    {
        switch (option)
        {
            case "--dir":
                Directory = value;
                return value.Length > 0;
            case "--json":
                JsonPath = value;
                return value.Length > 0;
            case "--only":
                Only = value.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
                return Only.Count > 0;
            case "--engines":
                Engines = value.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
                return Engines.Count > 0;
            case "--load" when Enum.TryParse(value, ignoreCase: true, out PutLoad load) && !char.IsDigit(value[0]):
                Load = load;
                return true;
            case "--seed" when ulong.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ulong seed):
                Seed = seed;
                return true;
            case "--scale" when TryNumber(value, 100, out double scale):
                Scale = scale;
                return true;
            case "--cap" when TryNumber(value, 3600, out double seconds):
                WantedCapSeconds = seconds;
                return true;
            case "--kill-after" when TryNumber(value, 3600, out double seconds):
                KillAfterSeconds = seconds;
                return IsKilled = true;
            default:
                return TrySetCount(option, value);
        }
    }

    private bool TrySetCount(string option, string value)
    {
        switch (option)
        {
            case "--rounds" when TryCount(value, 1000, out int rounds):
                WantedRounds = rounds;
                return true;
            case "--transactions" when TryCount(value, 1_000_000, out int transactions):
                Transactions = transactions;
                return true;
            case "--minutes" when TryCount(value, 100_000, out int minutes):
                Minutes = minutes;
                return true;
            case "--megabytes" when TryCount(value, 1_000_000, out int megabytes):
                Megabytes = megabytes;
                return true;
            case "--memory" when TryCount(value, 1_000_000, out int memory):
                WantedMemoryMebibytes = memory;
                return true;
            case "--seconds" when TryCount(value, 3600, out int seconds):
                Seconds = seconds;
                return true;
            case "--items" when TryCount(value, 1_000_000_000, out int items):
                Items = items;
                return true;
            case "--rows" when TryCount(value, 10_000_000, out int rows):
                Rows = rows;
                return true;
            case "--puts" when TryCount(value, 1_000_000, out int puts):
                Puts = puts;
                return true;
            case "--dirty" when TryCount(value, 1_000_000, out int dirty):
                DirtyMebibytes = dirty;
                return true;
            case "--soft" when TryCount(value, 1_000_000, out int soft):
                SoftMebibytes = soft;
                return true;
            default:
                return false;
        }
    }

    private static bool TryCount(string value, int largest, out int count) =>
        int.TryParse(value, NumberStyles.AllowThousands, CultureInfo.InvariantCulture, out count) && count >= 1 && count <= largest;

    private static bool TryNumber(string value, double largest, out double number) =>
        double.TryParse(value, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out number) && number > 0 && number <= largest;
}
