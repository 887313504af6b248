using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Versions;

public sealed class RetainedBytesTests
{
    private const int Seed = 4711;

    [Fact]
    public void Sums_are_those_of_a_look_at_each_pair()
    {
        Random random = new(Seed);
        for (int round = 0; round < 1_000; round++)
        {
            TransactionId[] snapshots = [.. Enumerable.Range(0, random.Next(6)).Select(_ => new TransactionId(random.Next(10))).Order()];
            long[] bytes = new long[snapshots.Length];
            long[] expected = new long[snapshots.Length];
            long together = 0;
            RetainedBytes seen = new(snapshots, bytes);
            for (int version = random.Next(8); version > 0; version--)
            {
                TransactionId from = random.Next(4) == 0 ? TransactionId.None : new(random.Next(10));
                TransactionId to = random.Next(4) == 0 ? TransactionId.AfterAll : new(random.Next(11));
                long count = random.Next(1, 100);
                seen.Add(from, to, count);
                bool[] sees = [.. snapshots.Select(snapshot => from <= snapshot && snapshot < to)];
                for (int i = 0; i < sees.Length; i++)
                {
                    expected[i] += sees[i] ? count : 0;
                }

                together += sees.Contains(true) ? count : 0;
            }

            seen.Finish();
            seen.Together.Should().Be(together, $"in round {round} of seed {Seed}");
            bytes.Should().Equal(expected, $"in round {round} of seed {Seed}");
        }
    }
}
