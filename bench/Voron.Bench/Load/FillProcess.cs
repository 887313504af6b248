using System.Diagnostics;
using System.Text.Json;
using Voron.Bench.Cold;

namespace Voron.Bench.Load;

/// <summary>What a process that fills a database said until it ended.</summary>
/// <param name="Intervals">Every few seconds of it.</param>
/// <param name="Row">Its figures; null when it was killed, or failed.</param>
/// <param name="Reads">The times of reads after the fill, if they were wanted.</param>
/// <param name="ExitCode">0 unless it failed or was killed.</param>
internal sealed record FillProcess(IReadOnlyList<FillInterval> Intervals, Row? Row, ReadFigures? Reads, int ExitCode)
{
    /// <summary>Starts it and hears it to its end.</summary>
    /// <param name="fill">What it does.</param>
    /// <param name="group">What limits its memory; null for no limit.</param>
    /// <param name="hear">Called for each interval when it is over.</param>
    internal static FillProcess Run(SustainedFill fill, MemoryGroup? group, Action<FillInterval> hear)
    {
        List<FillInterval> intervals = [];
        Row? row = null;
        ReadFigures? reads = null;
        IReadOnlyList<string> command = group?.Enter(OwnProgram.Command) ?? OwnProgram.Command;
        using Process process = Process.Start(OwnProgram.StartOf(command, SustainedFill.Variable, fill.ToText()))!;
        while (process.StandardOutput.ReadLine() is { } line)
        {
            if (ContentOf<FillInterval>(line, SustainedFill.IntervalWord) is { } interval)
            {
                intervals.Add(interval);
                hear(interval);
            }

            reads ??= ContentOf<ReadFigures>(line, SustainedFill.ReadsWord);
            row ??= ContentOf<Row>(line, SustainedFill.RowWord);
        }

        process.WaitForExit();
        return new FillProcess(intervals, row, reads, process.ExitCode);
    }

    /// <summary>What a line says after this word; null if it begins otherwise, or is half a line of a process that was killed.</summary>
    private static TContent? ContentOf<TContent>(string line, string word)
        where TContent : class
    {
        if (!line.StartsWith(word, StringComparison.Ordinal))
        {
            return null;
        }

        try
        {
            return JsonSerializer.Deserialize<TContent>(line.AsSpan(word.Length));
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
