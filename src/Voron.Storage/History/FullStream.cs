using System.Buffers;
using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Structures;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage.History;

/// <summary>
/// Writes all trees of one snapshot to a pipe, as if one transaction had made them: entry by entry in key order, beside other readers and
/// writers.
/// </summary>
internal sealed class FullStream(
    Database database, ReaderSlot slot, FrameWriter frames, IProgress<double>? progress, CancellationToken cancellation)
{
    /// <summary>Bytes of entries that are collected before the pipe is asked for room.</summary>
    private const int StepBytes = 64 << 10;

    private readonly TransactionWriter _writer = new(frames);
    private byte[]? _key;

    /// <summary>In a multi-value tree: the value of the last pair.</summary>
    private byte[] _value = [];
    private long _entries;

    /// <summary>Writes the stream, on a thread of its own. The snapshot is released in any case.</summary>
    internal ValueTask<BackupReport> RunAsync() => EngineThread.RunAside(Run, ThreadRank.StepsBack);

    private BackupReport Run()
    {
        long occupant = slot.Occupant;
        try
        {
            cancellation.ThrowIfCancellationRequested();
            StreamHead head = StreamHead.Of(database, database.Options.TimeProvider) with
            {
                IsFull = 1, Last = slot.Snapshot, Pages = PagesInUse(),
            };
            frames.Write(FrameKind.Head, head);
            if (slot.Snapshot > TransactionId.None)
            {
                WriteTrees();
            }

            if (!database.Options.ReadOnly)
            {
                // A backup never holds what its source could still lose.
                Wait(database.FlushAsync(cancellation));
            }

            frames.Write(FrameKind.End, new StreamEnd { Last = slot.Snapshot, Transactions = 1 });
            Wait(frames.FlushAsync());
            progress?.Report(1.0);
            return new BackupReport(slot.Snapshot.Value, head.Guid, IsFull: true, 1, head.Pages, frames.Bytes);
        }
        finally
        {
            slot.Release(occupant);
        }
    }

    private static void Wait(ValueTask task)
    {
        if (task.IsCompletedSuccessfully)
        {
            task.GetAwaiter().GetResult();
        }
        else
        {
            task.AsTask().GetAwaiter().GetResult();
        }
    }

    private long PagesInUse()
    {
        EnvironmentReport report = database.GetReport();
        return (report.DataFileBytes - report.FreeBytes) / report.PageBytes;
    }

    private void WriteTrees()
    {
        List<(byte[] Name, TreeRecord Record)> trees = [];
        foreach (byte[] name in TreeName.ListAll(slot.Source, slot.Snapshot))
        {
            Catalog.TryFind(slot.Source, slot.Snapshot, name, out TreeRecord record);
            trees.Add((name, record));
        }

        using LeavesAhead? ahead = LeavesAhead.Begin(slot.Source, slot.Snapshot, trees.Select(static tree => tree.Record));
        long all = Math.Max(1, trees.Sum(static tree => tree.Record.EntryCount));
        _writer.Begin(slot.Snapshot);
        foreach ((byte[] name, TreeRecord record) in trees)
        {
            _key = null;
            if (record.Shape != TreeShape.Ordered)
            {
                _writer.Redo.CreateTreeOf(record.Shape, name);
            }
            else
            {
                _writer.Redo.CreateTree(record.Kind, name);
            }

            _writer.Redo.SelectTree(name);
            if (!record.Shape.IsOrdered)
            {
                while (record.Kind == TreeKind.Multi ? CollectPairs(record) : CollectFixed(record))
                {
                    Wait(_writer.WriteIfLongAsync());
                    EngineThread.Yield();
                    progress?.Report(Math.Min(1.0, _entries / (double)all));
                }

                continue;
            }

            WriteEntries(record, all);
        }

        Wait(_writer.EndAsync());
    }

    private void WriteEntries(TreeRecord tree, long all)
    {
        using EntryParts parts = new(slot.Source, slot.Snapshot, tree);
        while (parts.Take() is { } part)
        {
            do
            {
                if (!part.IsCollected)
                {
                    part.Collect(slot.Source, slot.Snapshot, tree.RootPage);
                }

                Wait(_writer.WriteAsync(part.Redo));
                if (part.LongValue.ValueBytes != 0)
                {
                    WriteLong(part.LongKey, part.LongValue);
                }

                part.Written();
            }
            while (!part.IsDone);

            _entries += part.Entries;
            progress?.Report(Math.Min(1.0, _entries / (double)all));
        }
    }

    /// <summary>Collects pairs of a multi-value tree after the last one until they are many. False at the end.</summary>
    private bool CollectPairs(TreeRecord record)
    {
        byte[] buffer = MultiReader.Rent(slot.Source);
        MultiPosition pairs = new(slot.Source, slot.Snapshot, record.RootPage, record.ValueBytes, buffer, remembers: false);
        bool isThere = _key is null || pairs.SeekPair(_key, _value);
        int bytes = 0;
        while (isThere && bytes < StepBytes && pairs.MoveNext())
        {
            _entries++;
            _writer.Redo.Put(pairs.Key, pairs.Value);
            bytes += pairs.Key.Length + pairs.Value.Length + 1;
        }

        bool hasMore = bytes >= StepBytes;
        if (hasMore)
        {
            _key = pairs.Key.ToArray();
            _value = pairs.Value.ToArray();
        }

        ArrayPool<byte>.Shared.Return(buffer);
        return hasMore;
    }

    /// <summary>Collects entries of a fixed-size tree after the last one until they are many. False at the end.</summary>
    private bool CollectFixed(TreeRecord record)
    {
        byte[] buffer = FixedWalk.Rent(slot.Source);
        FixedWalk entries = new(slot.Source, slot.Snapshot, record.RootPage, record.Shape, buffer);
        Span<byte> key = stackalloc byte[FixedKey.MostBytes];
        bool isThere = _key is null ? entries.MoveFirst() : entries.Seek(_key) && entries.MoveNext();
        int bytes = 0;
        for (; isThere && bytes < StepBytes; isThere = entries.MoveNext())
        {
            _entries++;
            ReadOnlySpan<byte> ordered = key[..entries.WriteKey(key)];
            _writer.Redo.Put(ordered, entries.Value);
            bytes += record.Shape.EntryBytes;
            _key = bytes >= StepBytes ? ordered.ToArray() : _key;
        }

        ArrayPool<byte>.Shared.Return(buffer);
        return isThere;
    }

    private void WriteLong(byte[] key, OverflowReference value)
    {
        int count = value.IsList ? slot.Source.ReadList(value, slot.Snapshot).Length : 1;
        PlacedRun[] runs = new PlacedRun[count];
        for (int i = 0; i < count; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            byte[] bytes = (value.IsList
                ? slot.Source.ReadPiece(value, i, slot.Snapshot)
                : slot.Source.ReadOverflow(value, slot.Snapshot)).ToArray();
            runs[i].ValueBytes = bytes.Length;
            Wait(_writer.WriteRunAsync(bytes));
        }

        _writer.Redo.PutPlaced(key, runs);
    }
}
