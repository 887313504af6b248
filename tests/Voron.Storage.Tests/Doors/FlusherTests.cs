using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>The flusher's thread beside checkpoints that a test holds up, lets go on and lets fail.</summary>
public sealed class FlusherTests : IDisposable
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);
    private static readonly TransactionId Newest = new(7);

    private readonly SemaphoreSlim _entered = new(0);
    private readonly SemaphoreSlim _allowed = new(0);
    private readonly Flusher _flusher;
    private Exception? _failure;
    private Exception? _reported;
    private int _checkpoints;
    private bool _isDisposed;

    /// <summary>What is newest is on disk always: the flusher begins nothing by itself.</summary>
    public FlusherTests() => _flusher = new Flusher(Checkpoint, () => Newest, () => Newest, error => _reported = error);

    /// <summary>The guards dispose a test's class before they count what is left, and the test runner does it again.</summary>
    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        _allowed.Release(100);
        _flusher.Dispose();
        _entered.Dispose();
        _allowed.Dispose();
    }

    [Fact]
    public void Asking_beside_a_running_checkpoint_does_not_begin_another_one()
    {
        BeginCheckpoint();
        for (int i = 0; i < 10; i++)
        {
            _flusher.Ask();
        }

        _allowed.Release();
        WaitForSleep();
        _checkpoints.Should().Be(1, "what asked while it ran may have been served by it, and asks again if not");
        _allowed.Release();
        _flusher.AskAndWait();
        WaitForSleep();
        _checkpoints.Should().Be(2);
    }

    [Fact]
    public void A_wait_beside_a_running_checkpoint_gets_one_that_began_afterwards()
    {
        BeginCheckpoint();
        Thread waiting = new(_flusher.AskAndWait) { IsBackground = true };
        waiting.Start();
        SpinWait.SpinUntil(() => waiting.ThreadState.HasFlag(ThreadState.WaitSleepJoin), Long).Should().BeTrue("one runs");
        _allowed.Release();
        _entered.Wait(Long).Should().BeTrue("the first one began before it was asked for");
        waiting.IsAlive.Should().BeTrue();
        _allowed.Release();
        waiting.Join(Long).Should().BeTrue();
        WaitForSleep();
        _checkpoints.Should().Be(2);
    }

    [Fact]
    public void A_wait_for_the_running_checkpoint_ends_with_it()
    {
        _flusher.WaitForRunning().Should().BeFalse("none runs");
        BeginCheckpoint();
        bool ran = false;
        Thread waiting = new(() => ran = _flusher.WaitForRunning()) { IsBackground = true };
        waiting.Start();
        SpinWait.SpinUntil(() => waiting.ThreadState.HasFlag(ThreadState.WaitSleepJoin), Long).Should().BeTrue("one runs");
        _allowed.Release();
        waiting.Join(Long).Should().BeTrue();
        ran.Should().BeTrue();
        WaitForSleep();
        _checkpoints.Should().Be(1);
    }

    [Fact]
    public void A_checkpoint_that_fails_is_reported_and_ends_the_wait_for_it()
    {
        _failure = new IOException("full");
        _allowed.Release(2);
        _flusher.AskAndWait();
        _reported.Should().BeSameAs(_failure);
        _flusher.Trouble.Should().BeSameAs(_failure);
        _failure = null;
        _flusher.AskAndWait();
        _flusher.Trouble.Should().BeNull();
    }

    private void BeginCheckpoint()
    {
        _flusher.Ask();
        _entered.Wait(Long).Should().BeTrue();
    }

    private void WaitForSleep() => SpinWait.SpinUntil(() => _flusher.IsAsleep, Long).Should().BeTrue();

    private void Checkpoint()
    {
        _checkpoints++;
        _entered.Release();
        _allowed.Wait(Long).Should().BeTrue();
        if (_failure is { } failure)
        {
            throw failure;
        }
    }
}
