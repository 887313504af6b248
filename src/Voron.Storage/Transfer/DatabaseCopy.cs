using System.Buffers;
using System.Runtime.InteropServices;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage.Transfer;

/// <summary>
/// Copies the trees of one snapshot into a new database, entry by entry in key order, in transactions of bounded size: pages are full, and
/// may have another size. A value in one run or in pieces is so in the copy.
/// </summary>
internal sealed class DatabaseCopy(ReaderSlot slot, Database target, IProgress<double>? progress, CancellationToken cancellation)
{
    private const long BytesPerTransaction = 4 << 20;

    private WriteHandle? _lease;
    private WriteSession? _session;

    /// <summary>State of the present transaction: a commit that failed may have ended it.</summary>
    private long _generation;
    private int _index;
    private long _bytes;
    private long _entries;
    private long _allEntries;

    /// <summary>Makes the copy in a folder. The snapshot is released in any case.</summary>
    internal static CopyReport Run(
        ReaderSlot slot, string folder, StorageOptions options, IProgress<double>? progress, CancellationToken cancellation)
    {
        long occupant = slot.Occupant;
        try
        {
            cancellation.ThrowIfCancellationRequested();
            CopyFolder place = new(() => options.Engine.Disk ?? new IO.NativeDisk(), folder);
            place.Prepare();
            try
            {
                CopyReport report = Fill(slot, place.Work.Directory, options, progress, cancellation);
                place.Publish();
                return report;
            }
            catch
            {
                place.Discard();
                throw;
            }
        }
        finally
        {
            slot.Release(occupant);
        }
    }

    private static CopyReport Fill(
        ReaderSlot slot, string folder, StorageOptions options, IProgress<double>? progress, CancellationToken cancellation)
    {
        IDisk disk = options.Engine.Disk ?? new IO.NativeDisk();
        using Database target = Database.Open(disk, folder, options.ForNewDatabase(slot.Source.PageBytes), null, cancellation);
        DatabaseCopy copy = new(slot, target, progress, cancellation);
        long trees = copy.CopyTrees();
        target.Checkpoint();
        return new CopyReport(slot.Snapshot.Value, trees, copy._entries, target.GetReport().DataFileBytes);
    }

    private long CopyTrees()
    {
        (byte[] Name, TreeRecord Record)[] trees = [.. TreeName.ListBytes(slot.Source, slot.Snapshot).Select(Find)];
        _allEntries = trees.Sum(static tree => tree.Record.EntryCount);
        using LeavesAhead? ahead = LeavesAhead.Begin(slot.Source, slot.Snapshot, trees.Select(static tree => tree.Record));
        try
        {
            foreach ((byte[] name, TreeRecord record) in trees)
            {
                if (record.Kind == TreeKind.Multi)
                {
                    CopyPairs(name, record);
                }
                else if (record.Kind == TreeKind.Fixed)
                {
                    CopyFixed(name, record);
                }
                else
                {
                    CopyTree(name, record);
                }
            }

            Commit();
        }
        finally
        {
            _session?.Rollback(_lease!, _generation);
        }

        return trees.Length;
    }

    private (byte[] Name, TreeRecord Record) Find(byte[] name)
    {
        Catalog.TryFind(slot.Source, slot.Snapshot, name, out TreeRecord record);
        return (name, record);
    }

    private void CopyTree(byte[] name, TreeRecord record)
    {
        Open(name, record.Shape);
        RangeCursor cursor = new(slot.Source, slot.Snapshot, record.RootPage, default, default, RangeEnds.None, reversed: false);
        try
        {
            while (cursor.MoveNext())
            {
                if (_session is null)
                {
                    Open(name, record.Shape);
                }

                long bytes = cursor.Key.Length;
                if (!cursor.IsOverflow(out ReadOnlySpan<byte> value))
                {
                    Append(cursor.Key, value);
                    bytes += value.Length;
                }
                else
                {
                    bytes += CopyLong(cursor.Key, Node.Reference(value));
                }

                Copied(bytes);
            }
        }
        finally
        {
            cursor.Dispose();
        }
    }

    private void CopyPairs(byte[] name, TreeRecord record)
    {
        Open(name, record.Shape);
        byte[] buffer = MultiReader.Rent(slot.Source);
        MultiPosition pairs = new(slot.Source, slot.Snapshot, record.RootPage, record.ValueBytes, buffer, remembers: false);
        while (pairs.MoveNext())
        {
            if (_session is null)
            {
                Open(name, record.Shape);
            }

            _session!.Trees.Multi.Append(_generation, _index, pairs.Key, pairs.Value);
            Copied(pairs.Key.Length + pairs.Value.Length);
        }

        ArrayPool<byte>.Shared.Return(buffer);
    }

    private void CopyFixed(byte[] name, TreeRecord record)
    {
        Open(name, record.Shape);
        byte[] buffer = FixedWalk.Rent(slot.Source);
        FixedWalk entries = new(slot.Source, slot.Snapshot, record.RootPage, record.Shape, buffer);
        Span<byte> key = stackalloc byte[FixedKey.MostBytes];
        for (bool isThere = entries.MoveFirst(); isThere; isThere = entries.MoveNext())
        {
            if (_session is null)
            {
                Open(name, record.Shape);
            }

            _session!.Trees.Fixed.Append(_generation, _index, key[..entries.WriteKey(key)], entries.Value);
            Copied(record.Shape.EntryBytes);
        }

        ArrayPool<byte>.Shared.Return(buffer);
    }

    private long CopyLong(ReadOnlySpan<byte> key, OverflowReference reference)
    {
        if (!reference.IsList)
        {
            ReadOnlySpan<byte> value = slot.Source.ReadOverflow(reference, slot.Snapshot);
            Append(key, value);
            return value.Length;
        }

        long bytes = 0;
        List<PlacedRun> copies = [];
        int count = slot.Source.ReadList(reference, slot.Snapshot).Length;
        for (int i = 0; i < count; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            ReadOnlySpan<byte> piece = slot.Source.ReadPiece(reference, i, slot.Snapshot);
            copies.Add(_session!.Values.WritePiece(_generation, piece));
            bytes += piece.Length;
        }

        _session!.Values.PutPieces(_generation, _index, key, CollectionsMarshal.AsSpan(copies));
        return bytes;
    }

    private void Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        _session!.Trees.Append(_generation, _index, key, value);

    private void Open(byte[] name, TreeShape shape)
    {
        if (_session is null)
        {
            _lease = target.BeginWrite(Timeout.InfiniteTimeSpan)!;
            _session = _lease.Session;
            _generation = _session.Generation;
            _bytes = 0;
        }

        _index = _session.Trees.Open(_generation, name, shape, create: true);
    }

    private void Copied(long bytes)
    {
        _entries++;
        _bytes += bytes;
        if (_bytes >= BytesPerTransaction)
        {
            Commit();
        }
    }

    private void Commit()
    {
        cancellation.ThrowIfCancellationRequested();
        _session?.Commit(_lease!, _generation, CommitMode.Buffered);
        _session = null;
        progress?.Report(_allEntries == 0 ? 1.0 : Math.Min(1.0, _entries / (double)_allEntries));
    }
}
