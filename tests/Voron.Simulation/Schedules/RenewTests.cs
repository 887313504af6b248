using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Simulation.Schedules;

/// <summary>What another thread may do to a read transaction while it is renewed.</summary>
public sealed class RenewTests
{
    /// <summary>The other thread ends the transaction at each step of the renewal.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_transaction_that_ends_while_it_is_renewed_leaves_no_reader(int step)
    {
        ReadTransaction read = default;
        Steps steps = new();
        using Scheduling.Scope scope = Scheduling.Use(steps);
        using StorageEnvironment environment = OpenWithOneRow();
        read = environment.BeginRead();
        steps.At(SchedulingPoint.Register, step, () => read.Dispose());
        ((Action)(() => read.Renew())).Should().Throw<ObjectDisposedException>();
        environment.GetReport().OpenReaders.Should().Be(0);
        using ReadTransaction next = environment.BeginRead();
        next.OpenTree("rows").Count.Should().Be(1);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_transaction_is_neither_renewed_nor_cloned_while_it_is_renewed(int step)
    {
        ReadTransaction read = default;
        Steps steps = new();
        using Scheduling.Scope scope = Scheduling.Use(steps);
        using StorageEnvironment environment = OpenWithOneRow();
        read = environment.BeginRead();
        List<Exception?> errors = [];
        steps.At(SchedulingPoint.Register, step, () =>
        {
            errors.Add(Record.Exception(() => read.Renew()));
            errors.Add(Record.Exception(() => read.Clone()));
        });
        read.Renew();
        errors.Should().HaveCount(2).And.AllBeOfType<InvalidOperationException>();
        environment.GetReport().OpenReaders.Should().Be(1);
        read.Dispose();
        environment.GetReport().OpenReaders.Should().Be(0);
    }

    private static StorageEnvironment OpenWithOneRow()
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { Engine = new() { Background = false } });
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree("rows").Put("key"u8, "value"u8);
        transaction.Commit();
        return environment;
    }

    /// <summary>Runs an action at the n-th point of a kind.</summary>
    private sealed class Steps : IScheduler
    {
        private SchedulingPoint _point;
        private int _left;
        private Action? _act;

        internal void At(SchedulingPoint point, int step, Action act)
        {
            _point = point;
            _left = step;
            _act = act;
        }

        public void Pass(SchedulingPoint point)
        {
            if (_act is { } act && point == _point && --_left == 0)
            {
                _act = null;
                act();
            }
        }

        public bool Sleep(object on, SchedulingPoint point, TimeSpan timeout) => throw new NotSupportedException();

        public void Wake(object on)
        {
        }

        public Action Start(string name, Action run) => throw new NotSupportedException();
    }
}
