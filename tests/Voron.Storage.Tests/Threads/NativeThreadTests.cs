using System.IO.Pipelines;
using FluentAssertions;
using Voron.Native;
using Voron.Native.Unix;
using Voron.Storage.Tests.Doors;
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
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_thread_of_the_engine_has_the_rank_that_it_asked_for(int asked)
    {
        ThreadRank rank = (ThreadRank)asked;
        ReadSchedule(out ScheduleAttributes usual);
        (ScheduleAttributes Schedule, ThreadPriority Priority) seen = default;
        EngineThread thread = new("test", rank, () =>
        {
            ReadSchedule(out seen.Schedule);
            seen.Priority = Thread.CurrentThread.Priority;
        });
        thread.TryBegin().Should().BeTrue();
        thread.Join();
        bool isLong = rank != ThreadRank.Ordinary && usual.Runtime != 0;
        seen.Schedule.Runtime.Should().Be(isLong ? UnixSchedule.LongestSliceNanoseconds : usual.Runtime);
        bool isBack = rank == ThreadRank.StepsBack;
        seen.Schedule.Nice.Should().Be(isBack && OperatingSystem.IsLinux() ? UnixSchedule.NiceOfTenth : usual.Nice);
        bool isBelow = isBack && OperatingSystem.IsWindows();
        seen.Priority.Should().Be(isBelow ? ThreadPriority.BelowNormal : ThreadPriority.Normal);
    }

    [Fact]
    public async Task A_backup_steps_back()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        ScheduleAttributes seen = default;
        await environment.BackupAsync(
            PipeWriter.Create(Stream.Null), null, new Told(() => ReadSchedule(out seen)), TestContext.Current.CancellationToken);
        seen.Nice.Should().Be(OperatingSystem.IsLinux() ? UnixSchedule.NiceOfTenth : 0);
    }

    /// <summary>Calls back on the thread that reports.</summary>
    private sealed class Told(Action report) : IProgress<double>
    {
        public void Report(double value) => report();
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
