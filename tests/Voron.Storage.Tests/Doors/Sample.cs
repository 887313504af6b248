using System.Buffers.Binary;
using System.Text;
using FluentAssertions;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Doors;

/// <summary>Keys, values and small databases that the tests of the doors share.</summary>
internal static class Sample
{
    internal const string Tree = "sample";

    internal static byte[] Key(int number)
    {
        byte[] key = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        return key;
    }

    internal static byte[] Value(int length, int seed)
    {
        byte[] value = new byte[length];
        new Random(seed).NextBytes(value);
        return value;
    }

    internal static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    /// <summary>Commits keys [from, to) with values of the given length in one transaction.</summary>
    internal static void Put(StorageEnvironment environment, int from, int to, int valueBytes = 20, CommitMode mode = CommitMode.Durable)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Tree);
        for (int i = from; i < to; i++)
        {
            tree.Put(Key(i), Value(valueBytes, i));
        }

        transaction.Commit(mode);
    }

    /// <summary>Expects exactly keys 0 … count − 1 with values of the given length, and a clean check.</summary>
    internal static void Expect(StorageEnvironment environment, int count, int valueBytes = 20)
    {
        using (ReadTransaction transaction = environment.BeginRead())
        {
            bool there = transaction.TryOpenTree(Tree, out ReadTree tree);
            if (count == 0 && !there)
            {
                return;
            }

            there.Should().BeTrue();
            tree.Count.Should().Be(count);
            for (int i = 0; i < count; i++)
            {
                tree.Get(Key(i)).Should().Equal(Value(valueBytes, i), "key {0} was committed", i);
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>The keys of a range, in the order in which they come.</summary>
    internal static List<string> Texts(TreeRange range)
    {
        List<string> keys = [];
        foreach ((ReadOnlySpan<byte> key, _) in range)
        {
            keys.Add(Encoding.Latin1.GetString(key));
        }

        return keys;
    }

    /// <summary>The files of a database by their paths, except the lock file, which belongs to those that have it open.</summary>
    internal static Dictionary<string, byte[]> Files(TemporaryFolder folder) =>
        Directory.GetFiles(folder.Path, "*", SearchOption.AllDirectories)
            .Where(static path => System.IO.Path.GetFileName(path) != "voron.lock")
            .ToDictionary(static path => path, File.ReadAllBytes);

    internal static string Data(TemporaryFolder folder) => DataOf(folder.Path);

    internal static string DataOf(string path) => System.IO.Path.Combine(path, "data.voron");

    internal static string Journal(TemporaryFolder folder) => System.IO.Path.Combine(folder.Path, "journal");
}
