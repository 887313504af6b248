using System.Globalization;
using System.Text;
using FluentAssertions;

namespace Voron.Storage.Tests.Doors;

/// <summary>Fixed-size trees of every kind of keys, changed at random, and all of their entries as text.</summary>
internal static class FixedSample
{
    /// <summary>Changes entries and ranges of all trees in one transaction.</summary>
    internal static void Change(StorageEnvironment environment, int seed, int changes)
    {
        Random random = new(seed);
        using WriteTransaction transaction = environment.BeginWrite();
        Change(transaction.OpenFixedTree<long>("long", 8), changes, random, static number => number);
        Change(transaction.OpenFixedTree<ulong>("ulong", 0), changes, random, static number => (ulong)number << 40);
        Change(transaction.OpenFixedTree<double>("double", 100), changes / 4, random, static number => number / 16.0);
        FixedTree<Guid> guids = transaction.OpenFixedTree<Guid>("guid", 3);
        Change(guids, changes, random, static number => new Guid((int)number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0));
        transaction.OpenFixedTree<long>("unused", 5);
        transaction.Commit();
    }

    /// <summary>The shape of every tree, and its entries.</summary>
    internal static string Text(StorageEnvironment environment)
    {
        StringBuilder all = new();
        using ReadTransaction transaction = environment.BeginRead();
        Append<long>(all, transaction, "long");
        Append<ulong>(all, transaction, "ulong");
        Append<double>(all, transaction, "double");
        Append<Guid>(all, transaction, "guid");
        Append<long>(all, transaction, "unused");
        return all.ToString();
    }

    private static void Append<TKey>(StringBuilder all, ReadTransaction transaction, string name)
        where TKey : unmanaged
    {
        if (!transaction.TryOpenFixedTree(name, out ReadFixedTree<TKey> tree))
        {
            return;
        }

        all.Append(CultureInfo.InvariantCulture, $"{name}: values of {tree.ValueSize} bytes, {tree.Count} entries\n");
        foreach ((TKey key, ReadOnlySpan<byte> value) in tree)
        {
            tree.TryGet(key, out ReadOnlySpan<byte> found).Should().BeTrue();
            found.SequenceEqual(value).Should().BeTrue();
            all.Append(CultureInfo.InvariantCulture, $"{key} {Convert.ToHexStringLower(value)}\n");
        }
    }

    private static void Change<TKey>(FixedTree<TKey> tree, int changes, Random random, Func<long, TKey> keyOf)
        where TKey : unmanaged
    {
        byte[] value = new byte[tree.ValueSize];
        for (int i = 0; i < changes; i++)
        {
            random.NextBytes(value);
            long number = random.Next(50_000);
            switch (random.Next(500))
            {
                case 0:
                    tree.DeleteRange(keyOf(number), keyOf(number + 2_000));
                    break;
                case < 60 when tree.TryGetCeiling(keyOf(number), out TKey gone, out _):
                    tree.Delete(gone).Should().BeTrue();
                    break;
                default:
                    tree.Put(keyOf(number), value);
                    break;
            }
        }
    }
}
