using System.Buffers;
using System.Collections.Immutable;
using System.IO.Pipelines;
using System.Text;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Trees;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Reads all there is of a snapshot, in several ways, and holds it against what must be there. Damage that is reported ends the reading of
/// one tree in one way, no more.
/// </summary>
internal sealed class FuzzReading(FuzzSeedImage seed, FuzzTrust trust, FuzzRows? expected)
{
    private const int LookupsOfTree = 12;
    private const int MostTrees = 100;

    /// <summary>Reads that were refused because of damage.</summary>
    internal int Refusals { get; private set; }

    internal void ReadAll(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        IReadOnlyList<byte[]> names = [];
        Try(() => names = read.TreeNameBytes);
        string[] texts = [.. names.Select(static name => Encoding.UTF8.GetString(name)).Order(StringComparer.Ordinal)];
        if (Refusals == 0 && trust == FuzzTrust.Exact && !texts.SequenceEqual(expected!.Trees.Keys))
        {
            string found = string.Join(", ", texts);
            throw new FuzzFindingException($"the trees are {found}; they should be {string.Join(", ", expected.Trees.Keys)}");
        }

        // By the bytes: damage may make a name that is no text. It may make thousands of them as well, and each costs its cursors.
        foreach (byte[] name in names.Take(MostTrees))
        {
            Try(() => ReadTree(read, name));
        }

        if (trust == FuzzTrust.Exact && seed.Kind == TreeKind.Ordered)
        {
            foreach (string name in expected!.Trees.Keys)
            {
                Try(() => LookUp(read, name));
            }
        }
    }

    private void ReadTree(ReadTransaction read, byte[] nameBytes)
    {
        string name = Encoding.UTF8.GetString(nameBytes);
        ImmutableSortedDictionary<byte[], byte[]>? rows = expected?.Trees.GetValueOrDefault(name);
        if (IsMulti(read, nameBytes))
        {
            new FuzzPairs(seed, trust, name, rows, Try).ReadAll(read.OpenMultiTree(nameBytes));
            return;
        }

        if ((seed.Kind == TreeKind.Fixed || trust != FuzzTrust.Exact) && TryReadColumns(read, nameBytes, rows))
        {
            return;
        }

        ReadTree tree = read.OpenTree(nameBytes);
        Try(() => ReadForward(tree, name, rows));
        Try(() => ReadBackward(tree, name, rows));
        Try(() => tree.GetReport());
        Try(() => tree.EstimateCount([], [0xFF]));
    }

    /// <summary>Damage may have made a tree one of another kind, and the file of another database has trees of its own.</summary>
    private bool IsMulti(ReadTransaction read, byte[] name)
    {
        if (trust == FuzzTrust.Exact && seed.Kind != TreeKind.Multi)
        {
            return false;
        }

        try
        {
            return read.TryOpenMultiTree(name, out _);
        }
        catch (TreeKindMismatchException) when (trust != FuzzTrust.Exact)
        {
            return false;
        }
    }

    /// <summary>Damage may have made a tree one with keys of another type as well.</summary>
    private bool TryReadColumns(ReadTransaction read, byte[] name, ImmutableSortedDictionary<byte[], byte[]>? rows) =>
        (seed.FixedKeyBytes > sizeof(long) && TryReadColumns<Guid>(read, name, rows))
        || TryReadColumns<long>(read, name, rows) || TryReadColumns<ulong>(read, name, rows)
        || TryReadColumns<double>(read, name, rows) || TryReadColumns<Guid>(read, name, rows);

    private bool TryReadColumns<TKey>(ReadTransaction read, byte[] name, ImmutableSortedDictionary<byte[], byte[]>? rows)
        where TKey : unmanaged
    {
        ReadFixedTree<TKey> tree;
        try
        {
            tree = read.OpenFixedTree<TKey>(name);
        }
        catch (TreeKindMismatchException) when (trust != FuzzTrust.Exact)
        {
            return false;
        }

        new FuzzColumns<TKey>(seed, trust, Encoding.UTF8.GetString(name), rows, Try).ReadAll(tree);
        return true;
    }

    private void ReadForward(ReadTree tree, string name, ImmutableSortedDictionary<byte[], byte[]>? rows)
    {
        using Cursor cursor = tree.OpenCursor();
        using IEnumerator<KeyValuePair<byte[], byte[]>> walk = (rows ?? FuzzRows.NoRows).AsEnumerable().GetEnumerator();
        for (bool there = cursor.MoveFirst(); there; there = cursor.MoveNext())
        {
            // Of a forged page nobody judges the keys, which may share thousands of bytes each.
            byte[] key = trust == FuzzTrust.Nothing ? [] : cursor.Key.ToArray();
            bool more = walk.MoveNext();
            if (trust == FuzzTrust.Exact && (!more || !walk.Current.Key.AsSpan().SequenceEqual(key)))
            {
                throw new FuzzFindingException($"the cursor over '{name}' shows the key {Convert.ToHexString(key)} where it should not be");
            }

            try
            {
                JudgeValue(name, key, ValueOf(tree, cursor), more ? walk.Current.Value : null);
            }
            catch (StorageException)
            {
                Refusals++;
            }
        }

        if (trust == FuzzTrust.Exact && walk.MoveNext())
        {
            throw new FuzzFindingException($"the cursor over '{name}' ends before the key {Convert.ToHexString(walk.Current.Key)}");
        }

        if (trust == FuzzTrust.Exact && tree.Count != rows!.Count)
        {
            throw new FuzzFindingException($"'{name}' says that it has {tree.Count} rows of {rows.Count}");
        }
    }

    private void ReadBackward(ReadTree tree, string name, ImmutableSortedDictionary<byte[], byte[]>? rows)
    {
        int index = rows?.Count ?? 0;
        byte[][] keys = trust == FuzzTrust.Exact ? [.. rows!.Keys] : [];
        using Cursor cursor = tree.OpenCursor();
        for (bool there = cursor.MoveLast(); there; there = cursor.MovePrevious())
        {
            index--;
            if (trust == FuzzTrust.Exact && (index < 0 || !keys[index].AsSpan().SequenceEqual(cursor.Key)))
            {
                throw new FuzzFindingException($"the cursor back over '{name}' shows a wrong key at {index}");
            }
        }
    }

    private void LookUp(ReadTransaction read, string name)
    {
        if (!read.TryOpenTree(name, out ReadTree tree))
        {
            throw new FuzzFindingException($"there is no tree '{name}'");
        }

        ImmutableSortedDictionary<byte[], byte[]> rows = expected!.Trees[name];
        int step = Math.Max(1, rows.Count / LookupsOfTree);
        int index = 0;
        foreach ((byte[] key, byte[] value) in rows)
        {
            if (index++ % step == 0)
            {
                Try(() => JudgeValue(name, key, ValueOf(tree, key), value));
                Try(() => RequireAbsent(tree, name, [.. key, 0], rows));
            }
        }
    }

    private static void RequireAbsent(ReadTree tree, string name, byte[] key, ImmutableSortedDictionary<byte[], byte[]> rows)
    {
        if (!rows.ContainsKey(key) && tree.Contains(key))
        {
            throw new FuzzFindingException($"'{name}' has the key {Convert.ToHexString(key)}, which was never put");
        }
    }

    private void JudgeValue(string name, byte[] key, byte[]? value, byte[]? wanted)
    {
        bool isRight = trust switch
        {
            FuzzTrust.Exact => value is not null && wanted is not null && value.AsSpan().SequenceEqual(wanted),
            FuzzTrust.Mixed => value is not null && (IsOfOrphans(name) || IsKnown(key, value)),
            _ => true,
        };
        if (!isRight)
        {
            string lengths = $"{value?.Length ?? -1} bytes where {wanted?.Length ?? -1} should be";
            throw new FuzzFindingException($"the key {Convert.ToHexString(key)} of '{name}' gives a wrong value, {lengths}");
        }
    }

    /// <summary>Whether a salvage found these rows below no tree: those of a tree of blocks then stay blocks.</summary>
    private bool IsOfOrphans(string name) => seed.Kind != TreeKind.Ordered && name.StartsWith("lost+found/", StringComparison.Ordinal);

    private bool IsKnown(byte[] key, byte[] value) =>
        Node.HoldsValue(seed.PageBytes, key.Length, value.Length) ? seed.History.Knows(key, value)
        : value.Length > FuzzScript.ValuePieceBytesOf(seed.PageBytes) || seed.History.KnowsLength(key, value.Length);

    private byte[] ValueOf(ReadTree tree, Cursor cursor)
    {
        try
        {
            if (trust == FuzzTrust.Nothing)
            {
                // Read to its end, and not copied: values of a forged page may overlap each other, thousands of them.
                _ = cursor.Value.Count((byte)1);
                return [];
            }

            return cursor.Value.ToArray();
        }
        catch (ValueInPiecesException)
        {
            return Streamed(tree, cursor.Key.ToArray()) ?? [];
        }
    }

    private static byte[]? ValueOf(ReadTree tree, byte[] key)
    {
        try
        {
            return tree.Get(key);
        }
        catch (ValueInPiecesException)
        {
            return Streamed(tree, key);
        }
    }

    private static byte[]? Streamed(ReadTree tree, byte[] key)
    {
        if (!tree.TryOpenValueReader(key, out PipeReader? reader))
        {
            return null;
        }

        ArrayBufferWriter<byte> all = new();
        try
        {
            while (true)
            {
                reader.TryRead(out ReadResult result);
                foreach (ReadOnlyMemory<byte> part in result.Buffer)
                {
                    all.Write(part.Span);
                }

                reader.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return all.WrittenSpan.ToArray();
                }
            }
        }
        finally
        {
            reader.Complete();
        }
    }

    private void Try(Action read)
    {
        try
        {
            read();
        }
        catch (StorageException)
        {
            Refusals++;
        }
    }
}
