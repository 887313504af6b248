using System.IO.Pipelines;
using Voron.Storage.Engine;

namespace Voron.Storage.Transfer;

/// <summary>A load from a pipe into an open database: lines, their format, the transactions.</summary>
internal sealed class Load(LoadTarget target, InputLines lines, IInputFormat format, IProgress<LoadProgress>? progress)
{
    /// <summary>Progress is reported after this many reads, which together are about 1 MiB.</summary>
    private const int ReadsPerReport = 16;

    internal static async ValueTask<LoadReport> RunAsync(
        Database database,
        PipeReader pipe,
        LoadOptions options,
        byte[]? tree,
        IProgress<LoadProgress>? progress,
        CancellationToken cancellation)
    {
        using LoadTarget target = new(database, options, cancellation);
        IInputFormat format = options.JsonKey is { } key ? new JsonLines(target, tree!, key) : new DumpReader(target, tree);
        using InputLines lines = new(pipe, format.LongestPartBytes, cancellation);
        return await new Load(target, lines, format, progress).RunAsync().ConfigureAwait(false);
    }

    private async ValueTask<LoadReport> RunAsync()
    {
        await target.BeginAsync().ConfigureAwait(false);
        for (int reads = 1; ; reads++)
        {
            while (TakeLines())
            {
                await target.CommitAsync().ConfigureAwait(false);
                Report();
                await target.BeginAsync().ConfigureAwait(false);
            }

            if (!await lines.ReadMoreAsync().ConfigureAwait(false))
            {
                break;
            }

            if (reads % ReadsPerReport == 0)
            {
                Report();
            }
        }

        format.End(lines.Number);
        await target.CommitAsync().ConfigureAwait(false);
        Report();
        return new LoadReport(
            target.LastStored.Value, format.Sections, target.Entries, target.Skipped, format.SubDatabaseRecords, format.Warnings);
    }

    /// <summary>Takes the lines that were read; true if a batch was completed before all were taken.</summary>
    private bool TakeLines()
    {
        while (lines.TryTake(out ReadOnlySpan<byte> part, out bool isEnd))
        {
            int rest = format.Take(part, isEnd, lines.Number);
            lines.Return(rest);
            if (isEnd && target.IsBatchFull)
            {
                return true;
            }
        }

        return false;
    }

    private void Report() => progress?.Report(new LoadProgress(lines.Number, target.Entries, target.Committed));
}
