using FluentAssertions;
using Voron.CrashWriter;
using Voron.Storage;

namespace Voron.Simulation.Kills;

/// <summary>What a database of the script must hold after transaction n, and the comparison with what it holds.</summary>
internal sealed class ScriptModel(ulong seed)
{
    private readonly Dictionary<int, CrashScript.ScriptStep> _rows = [];
    private long _at;

    /// <summary>The transaction up to which the script was played; after a comparison, the one that was found.</summary>
    internal long Transaction => _at;

    /// <summary>
    /// Opens what a dead process left: everything acknowledged is there, at most one transaction that was begun afterwards as a whole,
    /// and the check finds nothing.
    /// </summary>
    internal void Verify(string folder, long acknowledged, string where)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions
        {
            Engine = new() { Background = false },
        });
        using (ReadTransaction transaction = environment.BeginRead())
        {
            long found = LastIn(transaction);
            found.Should().BeGreaterThanOrEqualTo(acknowledged, "transaction {0} was acknowledged ({1})", acknowledged, where);
            found.Should().BeLessThanOrEqualTo(Math.Max(acknowledged, _at) + 1, "no later one was begun ({0})", where);
            AdvanceTo(found);
            Compare(transaction, where);
        }

        environment.Check().Findings.Should().BeEmpty(where);
    }

    /// <summary>The last transaction of the script that a transaction sees.</summary>
    internal static long LastIn(ReadTransaction transaction) =>
        transaction.TryOpenTree("data", out ReadTree tree) ? CrashScript.LastIn(tree) : 0;

    /// <summary>Plays the script up to this transaction.</summary>
    internal void AdvanceTo(long transaction)
    {
        for (long id = _at + 1; id <= transaction; id++)
        {
            foreach (CrashScript.ScriptStep step in CrashScript.StepsOf(seed, id))
            {
                if (step.ValueBytes < 0)
                {
                    _rows.Remove(step.Key);
                }
                else
                {
                    _rows[step.Key] = step;
                }
            }
        }

        _at = transaction;
    }

    /// <summary>Holds what a transaction sees against the script, which was played up to it.</summary>
    internal void Compare(ReadTransaction transaction, string where)
    {
        if (!transaction.TryOpenTree("data", out ReadTree tree))
        {
            _rows.Should().BeEmpty(where);
            return;
        }

        if (tree.IsCountExact)
        {
            tree.Count.Should().Be(_rows.Count, where);
        }

        byte[] expected = new byte[16_384];
        byte[] key = new byte[16];
        foreach (CrashScript.ScriptStep step in _rows.Values)
        {
            CrashScript.WriteKey(step.Key, key);
            CrashScript.FillValue(step, expected.AsSpan(0, step.ValueBytes));
            bool same = tree.TryGet(key, out ReadOnlySpan<byte> value) && value.SequenceEqual(expected.AsSpan(0, step.ValueBytes));
            same.Should().BeTrue("key {0} has the value of transaction ≤ {1} ({2})", step.Key, _at, where);
        }
    }
}
