using FluentAssertions;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Threads;

/// <summary>A worker whose work a test holds up, lets go on and lets fail.</summary>
public sealed class WorkerTests : IDisposable
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    private readonly SemaphoreSlim _entered = new(0);
    private readonly SemaphoreSlim _allowed = new(0);
    private readonly Worker _worker;
    private Func<bool, TimeSpan?> _watch = static _ => null;
    private Exception? _failure;
    private Exception? _reported;
    private Thread? _thread;
    private int _runs;
    private bool _isDisposed;

    public WorkerTests() => _worker = new Worker("test", Work, isRested => _watch(isRested), error => _reported = error);

    /// <summary>The guards dispose a test's class before they count what is left, and the test runner does it again.</summary>
    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        _allowed.Release(100);
        _worker.Dispose();
        _entered.Dispose();
        _allowed.Dispose();
    }

    [Fact]
    public void The_thread_begins_with_a_request_and_ends_after_its_work()
    {
        _worker.IsAsleep.Should().BeTrue();
        _worker.WakeUps.Should().Be(0);
        BeginWork();
        _worker.IsAsleep.Should().BeFalse();
        _worker.IsAsked.Should().BeTrue();
        _thread!.Name.Should().Be("test");
        _allowed.Release();
        _thread.Join(Long).Should().BeTrue("nothing was asked for");
        _worker.IsAsleep.Should().BeTrue();
        _worker.IsAsked.Should().BeFalse();
        Thread first = _thread;
        BeginWork();
        _thread.Should().NotBeSameAs(first);
    }

    [Fact]
    public void Requests_during_a_run_begin_no_other_one()
    {
        BeginWork();
        for (int i = 0; i < 10; i++)
        {
            _worker.Ask();
        }

        _allowed.Release(10);
        WaitForSleep();
        _runs.Should().Be(1);
    }

    [Fact]
    public void A_request_that_is_waited_for_gets_a_run_that_began_afterwards()
    {
        BeginWork();
        Thread waiting = Begin(_worker.AskAndWait);
        _allowed.Release();
        _entered.Wait(Long).Should().BeTrue();
        waiting.IsAlive.Should().BeTrue("the first run began before the request");
        _allowed.Release();
        waiting.Join(Long).Should().BeTrue();
        _runs.Should().Be(2);
    }

    [Fact]
    public void A_wait_for_the_present_run_ends_with_it()
    {
        _worker.WaitForRunning().Should().BeFalse("none runs");
        BeginWork();
        bool ran = false;
        Thread waiting = Begin(() => ran = _worker.WaitForRunning());
        _allowed.Release();
        waiting.Join(Long).Should().BeTrue();
        ran.Should().BeTrue();
        _runs.Should().Be(1);
    }

    [Fact]
    public void A_wait_for_what_was_asked_ends_with_its_run()
    {
        _worker.WaitForAsked();
        BeginWork();
        Thread waiting = Begin(_worker.WaitForAsked);
        _allowed.Release();
        waiting.Join(Long).Should().BeTrue();
        _worker.IsAsked.Should().BeFalse();
        _runs.Should().Be(1);
    }

    [Fact]
    public void The_watch_waits_for_a_request_and_may_ask_itself()
    {
        List<bool> rested = [];
        _watch = isRested =>
        {
            rested.Add(isRested);
            return rested.Count switch
            {
                1 => Timeout.InfiniteTimeSpan,
                2 => TimeSpan.FromMilliseconds(1),
                3 => TimeSpan.Zero,
                _ => null,
            };
        };
        _worker.Wake();
        SpinWait.SpinUntil(() => !_worker.IsAsleep && rested.Count == 1, Long).Should().BeTrue("the thread waits");
        BeginWork();
        Thread first = _thread!;
        _allowed.Release(2);
        first.Join(Long).Should().BeTrue();
        _runs.Should().Be(2, "one run was asked for, and one by the watch");
        _thread.Should().BeSameAs(first);
        rested.Should().Equal(false, false, true, false);
        _worker.WakeUps.Should().Be(4, "two runs, two waits");
    }

    [Fact]
    public void An_error_is_reported_once_and_counted_until_a_run_succeeds()
    {
        _allowed.Release(3);
        _failure = new InvalidOperationException("test");
        _worker.AskAndWait();
        _reported.Should().BeSameAs(_failure);
        _worker.Trouble.Should().BeSameAs(_failure);
        _worker.AskAndWait();
        _worker.Failures.Should().Be(2);
        _failure = null;
        _worker.AskAndWait();
        _worker.Trouble.Should().BeNull();
        _worker.Failures.Should().Be(0);
    }

    [Fact]
    public void Without_a_report_errors_of_disk_and_memory_are_kept_for_the_caller_that_needs_the_result()
    {
        InsufficientMemoryException failure = new("test");
        using Worker worker = new("test", () => throw failure);
        worker.AskAndWait();
        worker.Trouble.Should().BeSameAs(failure);
    }

    [Fact]
    public void Dispose_ends_the_waits_and_waits_for_the_run()
    {
        BeginWork();
        Thread waiting = Begin(_worker.AskAndWait);
        Thread disposing = Begin(_worker.Dispose);
        waiting.Join(Long).Should().BeTrue();
        _worker.IsStopping.Should().BeTrue();
        disposing.IsAlive.Should().BeTrue("the work runs");
        _allowed.Release(2);
        disposing.Join(Long).Should().BeTrue();
        _thread!.IsAlive.Should().BeFalse();
        _worker.Ask();
        _worker.AskAndWait();
        _runs.Should().Be(1, "it begins nothing any more");
    }

    [Fact]
    public void The_work_may_dispose_its_worker()
    {
        Worker? worker = null;
        using (worker = new Worker("test", () => worker!.Dispose()))
        {
            Begin(worker.AskAndWait, untilItWaits: false).Join(Long).Should().BeTrue();
            worker.IsStopping.Should().BeTrue();
        }
    }

    private static Thread Begin(ThreadStart run, bool untilItWaits = true)
    {
        Thread thread = new(run) { IsBackground = true };
        thread.Start();
        if (untilItWaits)
        {
            SpinWait.SpinUntil(() => thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin), Long).Should().BeTrue();
        }

        return thread;
    }

    private void BeginWork()
    {
        _worker.Ask();
        _entered.Wait(Long).Should().BeTrue();
    }

    private void WaitForSleep() => SpinWait.SpinUntil(() => _worker.IsAsleep, Long).Should().BeTrue();

    private void Work()
    {
        _runs++;
        _thread = Thread.CurrentThread;
        _entered.Release();
        _allowed.Wait(Long).Should().BeTrue();
        if (_failure is { } failure)
        {
            throw failure;
        }
    }
}
