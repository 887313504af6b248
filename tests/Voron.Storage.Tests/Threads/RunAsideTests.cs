using FluentAssertions;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Threads;

public sealed class RunAsideTests
{
    [Fact]
    public async Task Work_has_a_thread_of_its_own()
    {
        (await EngineThread.RunAside(static () => Thread.CurrentThread.IsThreadPoolThread, ThreadRank.StepsBack)).Should().BeFalse();
    }

    /// <summary>What the work holds, such as the slot of a reader, would otherwise stay held.</summary>
    [Fact]
    public async Task Work_runs_on_the_pool_if_there_is_no_thread_for_it()
    {
        bool isOfPool = await EngineThread.RunAside(
            static () => Thread.CurrentThread.IsThreadPoolThread, ThreadRank.StepsBack, new NoThreads());
        isOfPool.Should().BeTrue();
    }

    private sealed class NoThreads : TaskScheduler
    {
        protected override void QueueTask(Task task) => throw new InvalidOperationException("There are none.");

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }
}
