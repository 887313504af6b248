using FluentAssertions;
using Voron.Storage.Journal;
using Voron.Storage.Platform;
using Xunit;

namespace Voron.Storage.Tests.Journal;

/// <summary>A journal begins with two buffers, and the system may have room for one of them only.</summary>
public class MemoryRefusalTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_buffer_that_cannot_be_had_is_told_and_leaves_nothing(int which)
    {
        Thread asking = Thread.CurrentThread;
        int asked = 0;
        SystemMemory.Refuses = _ => Thread.CurrentThread == asking && ++asked == which;
        try
        {
            Action make = static () => new BatchPair().Dispose();
            make.Should().Throw<InsufficientMemoryException>();
            make.Should().NotThrow("it was refused once");
        }
        finally
        {
            SystemMemory.Refuses = null;
        }

        asked.Should().Be(which + 2);
    }
}
