using System.Globalization;

namespace Voron.Bench;

/// <summary>The command line, taken apart.</summary>
internal sealed record Arguments
{
    internal const string Usage = """
        usage: dotnet run -c Release --project bench/Voron.Bench [-- VERB [OPTION]...]

        verbs
          headline             the raw limit, and 10,000 transactions of 100 puts: random synced and buffered, ascending synced (default)
          raw                  the device alone: one synced write after another, 4 to 64 KiB
           reads                random gets with one and two threads and of eight at once, full scan, positions, beside LMDB; managed
                                bytes per operation
           fills                one transaction of random or ascending puts, or a bulk load, beside LMDB; pages over what was put in
           commits              asynchronous, shared and lazy commits, and those of many callers, against one caller and the limit
           readers              beginning and ending snapshots; the headline beside one that is held
          checkpoint           commits beside checkpoints, bytes to the device, a growing database, opening, memory, rest
          huge                 transactions far beyond their memory, and a reader held while everything is overwritten: memory and files
          bdn [ARGUMENT]...    BenchmarkDotNet; all further arguments are its own

        options
          --dir DIR            where the files are made, in a folder of their own that is removed again (default: the system's temp folder)
          --json FILE          the rows for machines
          --rounds N           rounds of each row (default 5)
          --transactions N     transactions of each round, of 100 puts each (default 10,000)
          --megabytes N        size that the verb checkpoint lets a database grow to (default 3,072)
          --full               the verb reads measures 10,000,000 items as well, and huge has the sizes that are promised:
                               10 M puts, 4 GiB of values, 2 GiB dropped, ten overwrites
          --seed N             seed of keys and values (default 1)
        """;

    private static readonly string[] Verbs =
        ["headline", "raw", "reads", "fills", "commits", "readers", "checkpoint", "huge", "help"];

    /// <summary>What is to be done.</summary>
    internal string Verb { get; private set; } = "headline";

    /// <summary>The folder that takes the run's folder; null for the system's temp folder.</summary>
    internal string? Directory { get; private set; }

    /// <summary>The file that takes the rows, or null.</summary>
    internal string? JsonPath { get; private set; }

    /// <summary>Rounds of each row.</summary>
    internal int Rounds { get; private set; } = 5;

    /// <summary>Transactions of each round.</summary>
    internal int Transactions { get; private set; } = 10_000;

    /// <summary>Size that a database grows to where growth is measured.</summary>
    internal long Megabytes { get; private set; } = 3072;

    /// <summary>Whether the long rows are wanted too, and the verb huge at its whole size.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>Seed of keys and values.</summary>
    internal ulong Seed { get; private set; } = 1;

    /// <summary>Takes the command line apart; false with one sentence about the first thing that is wrong.</summary>
    internal static bool TryParse(ReadOnlySpan<string> args, out Arguments arguments, out string problem)
    {
        arguments = new Arguments();
        problem = string.Empty;
        if (args.Length > 0 && !args[0].StartsWith('-'))
        {
            arguments.Verb = args[0];
            args = args[1..];
        }

        if (!Verbs.Contains(arguments.Verb))
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

            if (args[0] == "--full")
            {
                arguments.IsFull = true;
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
            case "--rounds" when TryCount(value, 1000, out int rounds):
                Rounds = rounds;
                return true;
            case "--transactions" when TryCount(value, 1_000_000, out int transactions):
                Transactions = transactions;
                return true;
            case "--megabytes" when TryCount(value, 1_000_000, out int megabytes):
                Megabytes = megabytes;
                return true;
            case "--seed" when ulong.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ulong seed):
                Seed = seed;
                return true;
            default:
                return false;
        }
    }

    private static bool TryCount(string value, int largest, out int count) =>
        int.TryParse(value, NumberStyles.AllowThousands, CultureInfo.InvariantCulture, out count) && count >= 1 && count <= largest;
}
