using FluentAssertions;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Doors;

/// <summary>The same keys, overwritten round after round with other values.</summary>
internal static class Rounds
{
    private const int ValueBytes = 60;

    /// <summary>Of the keys every so many-th is looked at.</summary>
    private const int Step = 37;

    /// <summary>Commits keys [from, to) with the values of a round in one transaction.</summary>
    internal static void Overwrite(StorageEnvironment environment, int from, int to, int round)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        for (int i = from; i < to; i++)
        {
            tree.Put(Sample.Key(i), Value(i, round));
        }

        transaction.Commit();
    }

    /// <summary>Expects that keys 0 … count − 1 have the values of this round now.</summary>
    internal static void Expect(StorageEnvironment environment, int count, int round)
    {
        using ReadTransaction transaction = environment.BeginRead();
        Expect(transaction, count, round);
    }

    /// <summary>Expects that keys 0 … count − 1 have the values of this round for a reader.</summary>
    internal static void Expect(ReadTransaction transaction, int count, int round)
    {
        transaction.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        for (int i = 0; i < count; i += Step)
        {
            tree.Get(Sample.Key(i)).Should().Equal(Value(i, round));
        }
    }

    private static byte[] Value(int key, int round) => Sample.Value(ValueBytes, (key * 100) + round);
}
