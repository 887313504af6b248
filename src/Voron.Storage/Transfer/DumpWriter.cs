using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage.Transfer;

/// <summary>
/// Writes trees of one snapshot in LMDB's dump format: for each a section of header lines, then a line for each key and one for its value,
/// in key order. What is in memory at a time is bounded by the pipe and a few pieces of the longest value.
/// </summary>
internal sealed class DumpWriter(ReaderSlot slot, PipeWriter pipe, DumpOptions options, CancellationToken cancellation)
{
    /// <summary>Longest key of LMDB as Debian and most others build it, in bytes.</summary>
    private const int MaxLmdbKeyBytes = 511;

    /// <summary>A value that LMDB cannot hold is longer.</summary>
    private const long MaxLmdbValueBytes = uint.MaxValue;

    /// <summary>Unflushed bytes after which the pipe is flushed, which may wait for its reader.</summary>
    private const int FlushBytes = 256 << 10;

    /// <summary>Longer values are written and flushed in pieces of this many bytes.</summary>
    private const int PieceBytes = 64 << 10;

    private readonly List<string> _warnings = [];
    private readonly byte[] _lastKey = new byte[slot.Source.PageBytes];
    private readonly byte[] _pairKey = new byte[slot.Source.PageBytes];
    private int _lastKeyBytes = -1;

    private long _bytes;
    private long _unflushed;
    private long _lines;
    private long _entries;

    /// <summary>Keys of the present tree that LMDB refuses.</summary>
    private long _longKeys;
    private long _emptyKeys;
    private long _longValues;

    internal async ValueTask<DumpReport> RunAsync(IReadOnlyList<byte[]> names)
    {
        long mapBytes = MapBytes(names);
        foreach (byte[] name in names)
        {
            WriteHeader(name, mapBytes);
            await WriteEntriesAsync(name).ConfigureAwait(false);
            WriteLine("DATA=END"u8);
            await FlushAsync().ConfigureAwait(false);
        }

        if (names.Count == 0)
        {
            // Like the empty main database of LMDB: an empty file would look like a dump that failed.
            WriteHeader([], mapBytes);
            WriteLine("DATA=END"u8);
        }

        await FlushAsync().ConfigureAwait(false);
        return new DumpReport(slot.Snapshot.Value, names.Count, _entries, _bytes, _warnings);
    }

    /// <summary>The size of an LMDB map that holds these trees with half of each page empty, as mdb_load leaves them.</summary>
    private long MapBytes(IReadOnlyList<byte[]> names)
    {
        const long Step = 1 << 20;
        long allocated = 0;
        foreach (byte[] name in names)
        {
            cancellation.ThrowIfCancellationRequested();
            TreeReport report = new TreeSurvey(slot.Source, slot.Snapshot, Root(name)).Run();
            allocated += report.AllocatedBytes;
        }

        return (((2 * allocated) / Step) + 1) * Step;
    }

    private PageNumber Root(byte[] name) => RecordOf(name).RootPage;

    private TreeRecord RecordOf(byte[] name)
    {
        if (!Catalog.TryFind(slot.Source, slot.Snapshot, name, out TreeRecord record))
        {
            Transactions.Throw.TreeNotFound(Encoding.UTF8.GetString(name), slot.Snapshot);
        }

        return record;
    }

    private void WriteHeader(byte[] name, long mapBytes)
    {
        WriteLine("VERSION=3"u8);
        WriteLine(options.Print ? "format=print"u8 : "format=bytevalue"u8);
        if (name.Length > 0)
        {
            WriteName(name);
        }

        WriteLine("type=btree"u8);
        foreach (string line in name.Length > 0 ? DumpHeader.ShapeOf(RecordOf(name)) : [])
        {
            WriteLine(Encoding.ASCII.GetBytes(line));
        }

        WriteLine(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"mapsize={mapBytes}")));
        WriteLine(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"db_pagesize={slot.Source.PageBytes}")));
        WriteLine("HEADER=END"u8);
    }

    /// <summary>A name that would end its line or, in C, itself is escaped for others and written in digits for our loader.</summary>
    private void WriteName(byte[] name)
    {
        if (name.AsSpan().IndexOfAny((byte)0, (byte)'\n', (byte)'\r') < 0)
        {
            WriteLine([.. DumpHeader.Database, .. name]);
            return;
        }

        Warn($"The name of tree '{KeyText.Of(name)}' has bytes that a line of the header cannot hold: mdb_load gives it another name.");
        byte[] escaped = new byte[DumpText.MostBytes(name.Length, print: true)];
        int length = DumpText.Encode(name, escaped, print: true);
        WriteLine([.. DumpHeader.Database, .. escaped.AsSpan(0, length)]);
        WriteLine([.. DumpHeader.NameBytes, .. Encoding.ASCII.GetBytes(Convert.ToHexStringLower(name))]);
    }

    private async ValueTask WriteEntriesAsync(byte[] name)
    {
        TreeRecord record = RecordOf(name);
        _lastKeyBytes = -1;
        _longKeys = _emptyKeys = _longValues = 0;
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            bool isAtEnd = Fill(record, out OverflowReference? value);
            if (value is { } reference)
            {
                await WriteLongValueAsync(reference).ConfigureAwait(false);
            }

            await FlushAsync().ConfigureAwait(false);
            if (isAtEnd)
            {
                break;
            }
        }

        WarnOf(name, _longKeys, $"longer than {MaxLmdbKeyBytes} bytes", "key");
        WarnOf(name, _emptyKeys, "empty", "key");
        string unfit = record.Kind == TreeKind.Multi ? $"empty or longer than {MaxLmdbKeyBytes} bytes" : "of 4 GiB or more";
        WarnOf(name, _longValues, unfit, "value");
    }

    /// <summary>
    /// Writes entries after the last key until there is enough to flush, or until a long value follows, whose key is written. Returns true
    /// at the end of the tree.
    /// </summary>
    private bool Fill(TreeRecord record, out OverflowReference? longValue)
    {
        longValue = null;
        ReadOnlySpan<byte> last = _lastKeyBytes < 0 ? default : _lastKey.AsSpan(0, _lastKeyBytes);
        RangeEnds ends = _lastKeyBytes < 0 ? RangeEnds.None : RangeEnds.From | RangeEnds.FromOpen;
        RangeCursor cursor = new(slot.Source, slot.Snapshot, record.RootPage, last, default, ends, reversed: false);
        LineSpace space = new(pipe, options.Print);
        try
        {
            while (cursor.MoveNext())
            {
                ReadOnlySpan<byte> key = cursor.Key;
                bool isOverflow = cursor.IsOverflow(out ReadOnlySpan<byte> value);
                OverflowReference reference = isOverflow ? Node.Reference(value) : default;
                bool isLong = isOverflow && (reference.IsList || reference.ValueBytes > PieceBytes);
                if (record.Kind == TreeKind.Multi)
                {
                    WritePairs(ref space, record, key, value);
                }
                else if (record.Kind == TreeKind.Fixed)
                {
                    WriteColumns(ref space, record, value);
                }
                else
                {
                    CheckKey(key);
                    _entries++;
                    _lines += 2;
                    space.Write(key);
                }

                if (!isLong && record.Shape.IsOrdered)
                {
                    space.Write(isOverflow ? slot.Source.ReadOverflow(reference, slot.Snapshot) : value);
                }

                if (isLong || _unflushed + space.Written >= FlushBytes)
                {
                    longValue = isLong ? reference : null;
                    key.CopyTo(_lastKey);
                    _lastKeyBytes = key.Length;
                    return false;
                }
            }
        }
        finally
        {
            cursor.Dispose();
            Wrote(space.Finish());
        }

        return true;
    }

    /// <summary>Writes the pairs of a block, each with its key.</summary>
    private void WritePairs(ref LineSpace space, TreeRecord record, ReadOnlySpan<byte> entryKey, ReadOnlySpan<byte> rest)
    {
        int keyBytes = MultiKey.LengthIn(entryKey, record.RootPage);
        ReadOnlySpan<byte> key = MultiKey.Read(entryKey[..keyBytes], _pairKey);
        ReadOnlySpan<byte> value = entryKey[keyBytes..];
        PackedValues values = new(rest, record.ValueBytes, record.RootPage);
        CheckKey(key);
        for (int at = 0; ; value = values.Take(ref at))
        {
            if (value.Length is 0 or > MaxLmdbKeyBytes)
            {
                _longValues++;
                RefuseIfStrict($"a value in a multi-value tree has {value.Length} bytes, and may have from 1 to {MaxLmdbKeyBytes}");
            }

            _entries++;
            _lines += 2;
            space.Write(key);
            space.Write(value);
            if (at == rest.Length)
            {
                break;
            }
        }
    }

    /// <summary>Writes the entries of a block, with keys whose bytes are in their order.</summary>
    private void WriteColumns(ref LineSpace space, TreeRecord record, ReadOnlySpan<byte> value)
    {
        if (!FixedColumns.TryOpen(value, record.Shape, out FixedColumns block))
        {
            Structures.Throw.BadColumns(record.RootPage);
        }

        for (int i = 0; i < block.Count; i++)
        {
            space.Write(_pairKey.AsSpan(0, block.WriteKey(i, _pairKey)));
            space.Write(block.Value(i));
        }

        _entries += block.Count;
        _lines += 2 * block.Count;
    }

    private async ValueTask WriteLongValueAsync(OverflowReference reference)
    {
        if (slot.Source.ValueBytes(reference, slot.Snapshot) > MaxLmdbValueBytes)
        {
            _longValues++;
            RefuseIfStrict("the value has 4 GiB or more");
        }

        WriteBytes(" "u8);
        int pieces = reference.IsList ? slot.Source.ReadList(reference, slot.Snapshot).Length : 1;
        for (int piece = 0; piece < pieces; piece++)
        {
            long length = 1;
            for (long at = 0; at < length; at += PieceBytes)
            {
                cancellation.ThrowIfCancellationRequested();
                length = WritePiece(reference, piece, (int)at);
                await FlushAsync().ConfigureAwait(false);
            }
        }

        WriteBytes("\n"u8);
    }

    /// <summary>Writes a part of one piece of a value; returns the length of the piece.</summary>
    private int WritePiece(OverflowReference reference, int piece, int at)
    {
        ReadOnlySpan<byte> whole = reference.IsList
            ? slot.Source.ReadPiece(reference, piece, slot.Snapshot)
            : slot.Source.ReadOverflow(reference, slot.Snapshot);
        ReadOnlySpan<byte> part = whole.Slice(at, Math.Min(PieceBytes, whole.Length - at));
        Span<byte> text = pipe.GetSpan((int)DumpText.MostBytes(part.Length, options.Print));
        int length = DumpText.Encode(part, text, options.Print);
        pipe.Advance(length);
        Wrote(length);
        return whole.Length;
    }

    private void CheckKey(ReadOnlySpan<byte> key)
    {
        if (key.Length is > 0 and <= MaxLmdbKeyBytes)
        {
            return;
        }

        _emptyKeys += key.IsEmpty ? 1 : 0;
        _longKeys += key.IsEmpty ? 0 : 1;
        RefuseIfStrict(key.IsEmpty ? "the key is empty" : $"the key has {key.Length} bytes, more than {MaxLmdbKeyBytes}");
    }

    private void RefuseIfStrict(string what)
    {
        if (options.Strict)
        {
            Throw.Refused(_lines + 1, what);
        }
    }

    private void WarnOf(byte[] name, long count, string what, string noun)
    {
        if (count > 0)
        {
            string counted = string.Create(CultureInfo.InvariantCulture, $"{count} {noun}{(count == 1 ? " is" : "s are")} {what}");
            _warnings.Add($"Tree '{KeyText.Of(name)}': {counted}. mdb_load will refuse this dump.");
        }
    }

    private void Warn(string message)
    {
        RefuseIfStrict(message.TrimEnd('.'));
        _warnings.Add(message);
    }

    private void WriteLine(ReadOnlySpan<byte> line)
    {
        WriteBytes(line);
        WriteBytes("\n"u8);
        _lines++;
    }

    private void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        pipe.Write(bytes);
        Wrote(bytes.Length);
    }

    private void Wrote(long bytes)
    {
        _bytes += bytes;
        _unflushed += bytes;
    }

    private async ValueTask FlushAsync()
    {
        _unflushed = 0;
        FlushResult result = await pipe.FlushAsync(cancellation).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            Throw.ReadCancelled();
        }

        if (result.IsCompleted)
        {
            Throw.PipeClosed();
        }
    }
}
