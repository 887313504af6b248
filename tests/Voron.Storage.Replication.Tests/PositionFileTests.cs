using FluentAssertions;
using Voron.Storage.Replication.Core;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>The place in the log that a node saves.</summary>
public sealed class PositionFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string FilePath => Path.Combine(_folder.Path, PositionFile.Name);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Without_a_file_there_is_no_place() => new PositionFile(_folder.Path).Read().Should().BeNull();

    [Fact]
    public void The_last_place_is_read_again()
    {
        PositionFile file = new(_folder.Path);
        for (int i = 1; i <= 5; i++)
        {
            file.Write(State(i));
            new PositionFile(_folder.Path).Read().Should().Be(State(i));
        }

        PositionFile again = new(_folder.Path);
        again.Read().Should().Be(State(5));
        again.Write(State(6));
        new PositionFile(_folder.Path).Read().Should().Be(State(6));
    }

    [Fact]
    public void A_torn_slot_leaves_the_one_before()
    {
        PositionFile file = new(_folder.Path);
        file.Write(State(1));
        file.Write(State(2));
        file.Write(State(3));
        byte[] sound = File.ReadAllBytes(FilePath);
        for (int at = 0; at < LogStateBytes.Write(State(3), 3).Length; at++)
        {
            byte[] torn = [.. sound];
            torn[PositionFile.SlotBytes + at] ^= 0x40;
            File.WriteAllBytes(FilePath, torn);
            new PositionFile(_folder.Path).Read().Should().Be(State(2), "byte {0} is damaged", at);
        }

        File.WriteAllBytes(FilePath, new byte[2 * PositionFile.SlotBytes]);
        new PositionFile(_folder.Path).Read().Should().BeNull();
    }

    private static LogState State(int i) => new(
        new Guid(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 100 + i, 7u + (uint)i, 3, 50 + i, new Guid(i, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9), 40 + i,
        "node", "http://node");
}
