using System.Buffers.Binary;
using Voron.Simulation.SelfTests;
using Voron.Storage;

namespace Voron.Simulation.Faults;

/// <summary>The rows 0, 1, 2, … of one tree: what the rigs that let calls fail fill and look at.</summary>
internal static class NumberedRows
{
    internal const string Folder = DiskFixture.Directory;
    internal const string Tree = "t";

    internal static byte[] Key(int number)
    {
        byte[] key = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        return key;
    }

    internal static byte[] Value(int number, int bytes)
    {
        byte[] value = new byte[bytes];
        new Random(number).NextBytes(value);
        return value;
    }

    internal static void Put(WriteTransaction transaction, IEnumerable<int> numbers, int valueBytes)
    {
        Tree tree = transaction.OpenTree(Tree);
        foreach (int number in numbers)
        {
            tree.Put(Key(number), Value(number, valueBytes));
        }
    }

    /// <summary>How many rows there are; each must be the next one, with its value.</summary>
    internal static int Read(StorageEnvironment environment)
    {
        using ReadTransaction transaction = environment.BeginRead();
        return Read(transaction);
    }

    internal static int Read(ReadTransaction transaction)
    {
        if (!transaction.TryOpenTree(Tree, out ReadTree tree))
        {
            return 0;
        }

        int next = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            Require(BinaryPrimitives.ReadInt32BigEndian(key) == next, $"key {next} is missing");
            Require(value.SequenceEqual(Value(next, value.Length)), $"the value of key {next} is another one");
            next++;
        }

        Require(tree.Count == next, $"the tree counts {tree.Count} keys and has {next}");
        return next;
    }

    internal static void Require(bool condition, string what)
    {
        if (!condition)
        {
            throw new SiteFailureException(what);
        }
    }
}
