using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

public class RoundTripTests
{
    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(16384)]
    [InlineData(32768)]
    [InlineData(65536)]
    public void What_was_committed_is_there_after_reopening(int pageBytes)
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { PageSize = pageBytes }))
        {
            for (int round = 0; round < 20; round++)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                Tree tree = transaction.OpenTree("numbers");
                for (int i = 0; i < 200; i++)
                {
                    tree.Put(BitConverter.GetBytes((round * 200) + i), new byte[i]);
                }

                transaction.Commit();
                if (round == 10)
                {
                    environment.Checkpoint();
                }
            }

            environment.Check().Findings.Should().BeEmpty();
        }

        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            environment.Check().Findings.Should().BeEmpty();
            using ReadTransaction transaction = environment.BeginRead();
            transaction.TryOpenTree("numbers", out ReadTree tree).Should().BeTrue();
            tree.Count.Should().Be(4000);
            int seen = 0;
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                value.Length.Should().Be(BitConverter.ToInt32(key) % 200);
                seen++;
            }

            seen.Should().Be(4000);
        }
    }

    [Fact]
    public void A_database_in_memory_works_the_same()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("t").Put("k"u8, "v"u8);
            transaction.Commit();
        }

        environment.Checkpoint();
        using ReadTransaction read = environment.BeginRead();
        read.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
        tree.Get("k"u8).Should().Equal("v"u8.ToArray());
    }
}
