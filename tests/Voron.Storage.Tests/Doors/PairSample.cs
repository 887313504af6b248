using System.Text;
using FluentAssertions;

namespace Voron.Storage.Tests.Doors;

/// <summary>Multi-value trees of every shape, changed at random, and all of their pairs as text.</summary>
internal static class PairSample
{
    internal const string Any = "any";
    internal const string Fixed = "fixed";

    private const int FixedBytes = 8;
    private const int MostKeys = 40;

    /// <summary>Trees and the lengths of their values; the last one gets no pairs.</summary>
    internal static IReadOnlyList<(string Name, int? ValueBytes)> Trees { get; } = [(Any, null), (Fixed, FixedBytes), ("unused", 5)];

    /// <summary>Adds pairs, and deletes single ones, whole keys and ranges, in one transaction.</summary>
    internal static void Change(StorageEnvironment environment, int seed, int changes)
    {
        Random random = new(seed);
        using WriteTransaction transaction = environment.BeginWrite();
        foreach ((string name, int? valueBytes) in Trees)
        {
            MultiTree tree = transaction.OpenMultiTree(name, valueBytes);
            for (int i = 0; i < changes && name != "unused"; i++)
            {
                Change(tree, random);
            }
        }

        transaction.Commit();
    }

    /// <summary>The shape of every tree, and its pairs in hexadecimal digits; expects each to be found.</summary>
    internal static string Text(StorageEnvironment environment)
    {
        StringBuilder all = new();
        using ReadTransaction transaction = environment.BeginRead();
        foreach ((string name, _) in Trees)
        {
            if (!transaction.TryOpenMultiTree(name, out ReadMultiTree tree))
            {
                continue;
            }

            all.AppendLine($"{name}: values of {tree.ValueBytes?.ToString() ?? "any"} bytes, {tree.Count} pairs");
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                tree.Contains(key, value).Should().BeTrue();
                all.AppendLine($"{Convert.ToHexStringLower(key)} {Convert.ToHexStringLower(value)}");
            }
        }

        return all.ToString();
    }

    private static void Change(MultiTree tree, Random random)
    {
        int number = random.Next(MostKeys);
        byte[] key = [(byte)(number + 1), 0, .. new byte[number % 3]];
        switch (random.Next(400))
        {
            case 0:
                tree.DeleteAll(key);
                break;
            case 1:
                tree.DeleteRange(key, [(byte)(number + 3)]);
                break;
            case < 40 when tree.Count(key) > 0:
                byte[] first = [];
                foreach (ReadOnlySpan<byte> value in tree.Values(key))
                {
                    first = value.ToArray();
                    break;
                }

                tree.Delete(key, first).Should().BeTrue();
                break;
            default:
                byte[] added = new byte[tree.ValueBytes ?? random.Next(1, 60)];
                random.NextBytes(added);
                tree.Add(key, added);
                break;
        }
    }
}
