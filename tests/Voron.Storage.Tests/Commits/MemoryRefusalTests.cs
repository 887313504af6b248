using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>A group asks for its buffer when its first record comes, and the system may have no room then.</summary>
public class MemoryRefusalTests
{
    [Fact]
    public void A_buffer_that_cannot_be_had_is_told_and_leaves_nothing()
    {
        Thread asking = Thread.CurrentThread;
        int asked = 0;
        using CommitGroup group = new();
        group.Begin(1, FormatConstants.ChunkBodyOffset);
        RecordHeader header = new() { Flags = RecordFlags.Commit, TransactionId = new TransactionId(7), FragmentCount = 1 };
        Action add = () => group.Add(header, new byte[100], onDevice: true);
        SystemMemory.Refuses = _ => Thread.CurrentThread == asking && ++asked == 1;
        try
        {
            add.Should().Throw<InsufficientMemoryException>();
            (group.IsEmpty, group.Records, group.Commits, group.NeedsDevice, group.UsedBytes).Should().Be((true, 0, 0, false, 0));
            add.Should().NotThrow("it was refused once");
            add.Should().NotThrow("the buffer has room for many records");
        }
        finally
        {
            SystemMemory.Refuses = null;
        }

        asked.Should().Be(2, "a group asks once");
        group.Commits.Should().Be(2);
    }
}
