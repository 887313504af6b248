using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron restore</c>: makes a database of a full backup and the changes after it.</summary>
internal static class RestoreVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = new("folder") { Description = "A new or empty folder for the database." };
        Argument<string[]> files = new("file")
        {
            Description = "A full backup, then the changes after it in their order.",
            Arity = ArgumentArity.OneOrMore,
        };
        Option<RestoreOptions> to = new("--to", "--to-time")
        {
            Description = "The last transaction to restore, or a time such as 2026-03-01T12:00:00Z (UTC if it names no zone); without it "
                + "all is restored.",
            CustomParser = ParseEnd,
        };
        Option<bool> follower = new("--follower") { Description = "As a follower, which only takes changes of the source." };
        Command command = new("restore", "Make a database of backups.") { folder, files, to, follower };
        command.Does((parsed, stop) => Run(
            screen,
            parsed.GetRequiredValue(folder),
            parsed.GetRequiredValue(files),
            new RestoreOptions
            {
                UpToTransaction = parsed.GetValue(to)?.UpToTransaction,
                UpToTime = parsed.GetValue(to)?.UpToTime,
                AsFollower = parsed.GetValue(follower),
            },
            stop));
        return command;
    }

    /// <summary>A number is a transaction, anything else a time.</summary>
    private static RestoreOptions? ParseEnd(ArgumentResult argument)
    {
        string text = argument.Tokens[0].Value;
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long transaction))
        {
            return new RestoreOptions { UpToTransaction = transaction };
        }

        if (DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset time))
        {
            return new RestoreOptions { UpToTime = time };
        }

        argument.AddError($"'{text}' is neither the number of a transaction nor a time, which is written like 2026-03-01T12:00:00Z.");
        return null;
    }

    private static ExitCode Run(Screen screen, string folder, string[] files, RestoreOptions options, CancellationToken stop)
    {
        RestoreReport report = Read(files, streams => screen.Follow("restoring", far => StorageBackup.RestoreAsync(
            folder, streams, options, new Distance(far), stop).AsTask().GetAwaiter().GetResult()));
        screen.Show(
            new { Folder = folder, report.TransactionId, report.DatabaseId, report.Transactions, report.FileBytes, options.AsFollower },
            () => screen.Line($"'{folder}': database {report.DatabaseId} up to transaction {report.TransactionId}, "
                + $"{ByteCount.Text(report.FileBytes)}{(options.AsFollower ? ", as a follower" : string.Empty)}."));
        return ExitCode.Good;
    }

    /// <summary>Opens backups for as long as they are read.</summary>
    internal static T Read<T>(string[] files, Func<IReadOnlyList<PipeReader>, T> read)
    {
        List<FileStream> streams = [];
        try
        {
            foreach (string file in files)
            {
                streams.Add(VerifyVerb.Open(file));
            }

            return read([.. streams.Select(static stream => PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 1 << 20)))]);
        }
        finally
        {
            streams.ForEach(static stream => stream.Dispose());
        }
    }

    /// <summary>Shows how many transactions were applied.</summary>
    internal sealed class Distance(IProgress<string> far) : IProgress<long>
    {
        public void Report(long value) => far.Report($"{ByteCount.Plain(value)} transactions");
    }
}
