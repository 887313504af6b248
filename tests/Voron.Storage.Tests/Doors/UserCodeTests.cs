using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Actions and callbacks, which run on threads that work for other callers or for none: in the default execution context, and without a
/// way to spoil what the engine does.
/// </summary>
public sealed class UserCodeTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);
    private static readonly AsyncLocal<string?> Tenant = new();

    /// <summary>Actions run on each other's threads; none may see the tenant of another caller, or what another action has set.</summary>
    [Fact]
    public async Task Actions_run_in_the_default_execution_context()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction gather = environment.BeginWrite();
        Task<string?>[] all = [.. Enumerable.Range(0, 20).Select(caller => Task.Run<string?>(async () =>
        {
            Tenant.Value = "tenant " + caller;
            string? seen = await environment.WriteAsync(
                static (tx, caller) =>
                {
                    string? seen = Tenant.Value;
                    Tenant.Value = "set by an action";
                    tx.OpenTree(Sample.Tree).Put(Sample.Key(caller), "x"u8);
                    return seen;
                },
                caller);
            Tenant.Value.Should().Be("tenant " + caller, "the caller's own context is left alone");
            return seen;
        }))];
        SpinWait.SpinUntil(() => environment.GetReport().WriterWaits > 0, Long).Should().BeTrue();
        gather.Dispose();
        (await Task.WhenAll(all).WaitAsync(Long)).Should().AllSatisfy(static seen => seen.Should().BeNull());
    }

    [Fact]
    public async Task A_lone_action_runs_in_the_default_execution_context()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Tenant.Value = "mine";
        string? seen = await environment.WriteAsync(static (_, _) => Tenant.Value, 0);
        seen.Should().BeNull();
        Tenant.Value.Should().Be("mine");
    }

    [Fact]
    public void Callbacks_run_in_the_default_execution_context()
    {
        List<string?> seen = [];
        Listener listener = new(seen);
        StorageOptions options = new()
        {
            OnEvent = _ => { lock (seen) { seen.Add(Tenant.Value); } },
            Observer = listener,
            ReaderWarningAge = TimeSpan.Zero,
        };
        Tenant.Value = "of the thread that opens";
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options))
        using (environment.BeginRead())
        {
            Tenant.Value = "of the thread that commits";
            Sample.Put(environment, 0, 10);
            environment.Checkpoint();
            Sample.Put(environment, 0, 10);
            SpinWait.SpinUntil(() => environment.Database.IsAtRest && environment.GetReport().Checkpoints > 1, Long);
        }

        lock (seen)
        {
            seen.Should().HaveCountGreaterThan(3).And.AllSatisfy(static tenant => tenant.Should().BeNull());
        }
    }

    [Fact]
    public void A_callback_that_throws_spoils_no_checkpoint()
    {
        int calls = 0;
        StorageOptions options = new()
        {
            ReaderWarningAge = TimeSpan.Zero,
            OnEvent = _ =>
            {
                calls++;
                throw new InvalidTimeZoneException("mine");
            },
        };
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(options);
        using ReadTransaction old = environment.BeginRead();
        Sample.Put(environment, 0, 10);
        ((Action)environment.Checkpoint).Should().NotThrow();
        calls.Should().BePositive();
    }

    private sealed class Listener(List<string?> seen) : StorageObserver
    {
        public override void JournalWritten(in JournalWriteReport write) => Add();

        public override void CheckpointEnded(in CheckpointReport checkpoint) => Add();

        private void Add()
        {
            lock (seen)
            {
                seen.Add(Tenant.Value);
            }
        }
    }
}
