using FluentAssertions;
using Orleans;
using Orleans.Runtime;
using Orleans.Storage;
using Voron.Storage;
using Xunit;

namespace Voron.Adapters.Tests.Grains;

/// <summary>The contract of <see cref="IGrainStorage"/>; one storage keeps the ETag of a cleared state, one does not.</summary>
public sealed class GrainStorageTests(OneSilo silo) : IClassFixture<OneSilo>
{
    private const string Name = "counter";

    public static TheoryData<string> Storages => new(OneSilo.Keeping, OneSilo.Deleting);

    [Theory]
    [MemberData(nameof(Storages))]
    public async Task What_was_written_is_read(string name)
    {
        IGrainStorage storage = silo.Storage(name);
        GrainId id = NewId("Привет/\0#");
        GrainState<CounterState> written = State("Привет, мир", 7);
        await storage.WriteStateAsync(Name, id, written);
        written.ETag.Should().NotBeNullOrEmpty();
        written.RecordExists.Should().BeTrue();
        GrainState<CounterState> read = await ReadAsync(storage, id);
        read.State.Should().Be(written.State);
        read.ETag.Should().Be(written.ETag);
        read.RecordExists.Should().BeTrue();
    }

    [Theory]
    [MemberData(nameof(Storages))]
    public async Task What_was_never_written_is_a_new_state(string name)
    {
        GrainState<CounterState> state = State("stale", 1);
        (state.ETag, state.RecordExists) = ("stale", true);
        await silo.Storage(name).ReadStateAsync(Name, NewId(), state);
        state.ETag.Should().BeNull();
        state.RecordExists.Should().BeFalse();
        state.State.Should().Be(new CounterState());
    }

    [Theory]
    [MemberData(nameof(Storages))]
    public async Task Each_write_has_another_ETag_and_the_newest_wins(string name)
    {
        IGrainStorage storage = silo.Storage(name);
        GrainId id = NewId();
        GrainState<CounterState> state = State("same", 1);
        HashSet<string?> eTags = [];
        for (int i = 0; i < 5; i++)
        {
            await storage.WriteStateAsync(Name, id, state);
            eTags.Add(state.ETag).Should().BeTrue();
        }
    }

    [Theory]
    [MemberData(nameof(Storages))]
    public async Task Other_ETags_are_refused_and_change_nothing(string name)
    {
        IGrainStorage storage = silo.Storage(name);
        GrainId id = NewId();
        GrainState<CounterState> state = State("first", 1);
        await storage.WriteStateAsync(Name, id, state);
        string? stale = state.ETag;
        state.State!.Text = "second";
        await storage.WriteStateAsync(Name, id, state);
        foreach (string? eTag in new[] { null, string.Empty, stale, "*", "nonsense" })
        {
            GrainState<CounterState> other = State("other", 2);
            other.ETag = eTag;
            InconsistentStateException refused =
                (await Awaiting(() => storage.WriteStateAsync(Name, id, other)).Should().ThrowAsync<InconsistentStateException>()).Which;
            refused.StoredEtag.Should().Be(state.ETag);
            refused.CurrentEtag.Should().Be(eTag);
            await Awaiting(() => storage.ClearStateAsync(Name, id, other)).Should().ThrowAsync<InconsistentStateException>();
            (other.ETag, other.State!.Text).Should().Be((eTag, "other"));
        }

        GrainState<CounterState> read = await ReadAsync(storage, id);
        (read.ETag, read.State!.Text).Should().Be((state.ETag, "second"));
        GrainState<CounterState> never = State("never", 1);
        never.ETag = stale;
        await Awaiting(() => storage.WriteStateAsync(Name, NewId(), never)).Should().ThrowAsync<InconsistentStateException>();
    }

    [Theory]
    [MemberData(nameof(Storages))]
    public async Task A_cleared_state_is_a_new_one_and_can_be_written_again(string name)
    {
        IGrainStorage storage = silo.Storage(name);
        GrainId id = NewId();
        GrainState<CounterState> state = State("first", 1);
        await storage.WriteStateAsync(Name, id, state);
        string? written = state.ETag;
        await storage.ClearStateAsync(Name, id, state);
        state.RecordExists.Should().BeFalse();
        state.State.Should().Be(new CounterState());
        state.ETag.Should().NotBe(written);
        (state.ETag is null).Should().Be(name == OneSilo.Deleting);
        GrainState<CounterState> read = await ReadAsync(storage, id);
        (read.ETag, read.RecordExists).Should().Be((state.ETag, false));
        GrainState<CounterState> stale = State("stale", 1);
        stale.ETag = written;
        await Awaiting(() => storage.WriteStateAsync(Name, id, stale)).Should().ThrowAsync<InconsistentStateException>();

        string? cleared = state.ETag;
        state.State = new CounterState { Text = "second" };
        await storage.WriteStateAsync(Name, id, state);
        state.ETag.Should().NotBe(cleared).And.NotBe(written);
        (await ReadAsync(storage, id)).State!.Text.Should().Be("second");
    }

    [Theory]
    [MemberData(nameof(Storages))]
    public async Task Clearing_before_any_write_is_right(string name)
    {
        IGrainStorage storage = silo.Storage(name);
        GrainId id = NewId();
        GrainState<CounterState> state = State("stale", 1);
        state.RecordExists = true;
        await storage.ClearStateAsync(Name, id, state);
        state.RecordExists.Should().BeFalse();
        state.State.Should().Be(new CounterState());
        await storage.WriteStateAsync(Name, id, state);
        (await ReadAsync(storage, id)).RecordExists.Should().BeTrue();
    }

    [Fact]
    public async Task Of_many_writes_with_one_ETag_one_wins()
    {
        IGrainStorage storage = silo.Storage(OneSilo.Keeping);
        GrainId id = NewId();
        GrainState<CounterState> state = State("first", 0);
        await storage.WriteStateAsync(Name, id, state);
        int won = 0;
        await Parallel.ForAsync(0, 50, async (i, _) =>
        {
            GrainState<CounterState> mine = State("mine", i);
            mine.ETag = state.ETag;
            try
            {
                await storage.WriteStateAsync(Name, id, mine);
                Interlocked.Increment(ref won);
            }
            catch (InconsistentStateException)
            {
                // Another one was first.
            }
        });
        won.Should().Be(1);
    }

    [Fact]
    public async Task States_of_other_names_grains_and_storages_are_others()
    {
        IGrainStorage storage = silo.Storage(OneSilo.Keeping);
        string long1 = new('x', 5000);
        (string Name, GrainId Id)[] places =
        [
            ("a", GrainId.Create("t", "k")), ("a", GrainId.Create("t", "k/2")), ("a", GrainId.Create("tk", "1")),
            ("a\0", GrainId.Create("t", "k")), ("a/t", GrainId.Create("t", "k")), (long1, GrainId.Create("t", "k")),
            ("a", GrainId.Create("t", long1)), ("a", GrainId.Create("t", long1 + "1")), ("a", GrainId.Create(long1, long1)),
        ];
        foreach ((string name, GrainId id) in places)
        {
            await storage.WriteStateAsync(name, id, State(name + id, 1));
        }

        foreach ((string name, GrainId id) in places)
        {
            GrainState<CounterState> read = State("", 0);
            await storage.ReadStateAsync(name, id, read);
            read.State!.Text.Should().Be(name + id);
        }

        IGrainStorage other = silo.Storage(OneSilo.Deleting);
        (await ReadAsync(other, places[0].Id, "a")).RecordExists.Should().BeFalse();
        await other.WriteStateAsync("a", places[1].Id, State("other", 1));
        using ReadTransaction transaction = silo.Environment.BeginRead();
        transaction.TreeNames.Should().Contain("grains/keeping").And.Contain("short-lived");
    }

    [Fact]
    public async Task A_call_that_is_cancelled_changes_nothing()
    {
        IGrainStorage storage = silo.Storage(OneSilo.Keeping);
        GrainId id = NewId();
        CancellationToken cancelled = new(canceled: true);
        GrainState<CounterState> state = State("a", 1);
        await Awaiting(() => storage.WriteStateAsync(Name, id, state, cancelled)).Should().ThrowAsync<OperationCanceledException>();
        await Awaiting(() => storage.ReadStateAsync(Name, id, state, cancelled)).Should().ThrowAsync<OperationCanceledException>();
        (await ReadAsync(storage, id)).RecordExists.Should().BeFalse();
    }

    private static Func<Task> Awaiting(Func<Task> action) => action;

    private static GrainId NewId(string more = "") => GrainId.Create("my-grain", Guid.NewGuid() + more);

    private static GrainState<CounterState> State(string text, long number) =>
        new() { State = new CounterState { Text = text, Number = number } };

    private static async Task<GrainState<CounterState>> ReadAsync(IGrainStorage storage, GrainId id, string name = Name)
    {
        GrainState<CounterState> read = new() { State = new CounterState() };
        await storage.ReadStateAsync(name, id, read);
        return read;
    }
}
