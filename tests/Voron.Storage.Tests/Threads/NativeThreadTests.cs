using FluentAssertions;
using Voron.Native;
using Voron.Native.Unix;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Threads;

public sealed class NativeThreadTests
{
    [Fact]
    public void A_thread_that_gives_way_asks_for_the_longest_slice_and_for_nothing_else()
    {
        (NativeResult Asked, ScheduleAttributes Before, ScheduleAttributes After) seen = default;
        Thread thread = new(() =>
        {
            ReadSchedule(out seen.Before);
            seen.Asked = NativeThread.GiveWay();
            ReadSchedule(out seen.After);
        });
        thread.Start();
        thread.Join();
        seen.Asked.Should().Be(NativeResult.Success);

        // Kernels before 6.12 know no slices of single threads and say 0.
        if (seen.Before.Runtime != 0)
        {
            seen.Before.Runtime = UnixSchedule.LongestSliceNanoseconds;
        }

        seen.After.Should().Be(seen.Before);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Of_the_engines_threads_those_give_way_that_say_so(bool givesWay)
    {
        ReadSchedule(out ScheduleAttributes usual);
        ScheduleAttributes seen = default;
        EngineThread thread = new("test", givesWay, () => ReadSchedule(out seen));
        thread.TryBegin().Should().BeTrue();
        thread.Join();
        seen.Runtime.Should().Be(givesWay && usual.Runtime != 0 ? UnixSchedule.LongestSliceNanoseconds : usual.Runtime);
    }

    private static void ReadSchedule(out ScheduleAttributes attributes)
    {
        attributes = default;
        if (OperatingSystem.IsLinux())
        {
            UnixSchedule.Read(out attributes).Should().Be(NativeResult.Success);
        }
    }
}
