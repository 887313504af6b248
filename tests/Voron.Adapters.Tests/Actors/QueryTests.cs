using Akka;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Adapters.Tests.Actors;

/// <summary>The queries, live and of now.</summary>
public sealed class QueryTests : IAsyncDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();
    private readonly OneSystem _one;

    public QueryTests() => _one = new OneSystem(_environment);

    public async ValueTask DisposeAsync()
    {
        await _one.DisposeAsync();
        _environment.Dispose();
    }

    [Fact]
    public async Task Current_events_of_an_id_end_at_their_bounds()
    {
        await _one.WriteAsync("a", 1, "a-1", "a-2", "a-3");
        await _one.WriteAsync("a2", 1, "other");
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue))).Should().Equal("a-1", "a-2", "a-3");
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 2, 2))).Should().Equal("a-2");
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 0, 0))).Should().BeEmpty();
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 4, 3))).Should().BeEmpty();
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("b", 0, long.MaxValue))).Should().BeEmpty();
        await _one.DeleteAsync("a", 2);
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue))).Should().Equal("a-3");
        await _one.DeleteAsync("a", 3);
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue))).Should().BeEmpty();
    }

    [Fact]
    public async Task Current_events_do_not_include_later_ones()
    {
        await _one.WriteAsync("a", 1, "a-1", "a-2");
        ISinkQueue<EventEnvelope> queue = Pull(_one.Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue));
        (await queue.PullAsync()).Value.Event.Should().Be("a-1");
        await _one.WriteAsync("a", 3, "a-3");
        (await queue.PullAsync()).Value.Event.Should().Be("a-2");
        (await queue.PullAsync()).HasValue.Should().BeFalse();
    }

    [Fact]
    public async Task Live_events_go_on_until_their_bound()
    {
        await _one.WriteAsync("a", 1, "a-1");
        ISinkQueue<EventEnvelope> queue = Pull(_one.Queries.EventsByPersistenceId("a", 0, 3));
        EventEnvelope first = (await queue.PullAsync()).Value;
        (first.PersistenceId, first.SequenceNr, first.Event, first.Offset).Should().Be(("a", 1L, "a-1", Offset.Sequence(1)));
        first.Timestamp.Should().BePositive();
        Task<Akka.Util.Option<EventEnvelope>> next = queue.PullAsync();
        await _one.WriteAsync("b", 1, "b-1");
        next.IsCompleted.Should().BeFalse();
        await _one.WriteAsync("a", 2, "a-2", "a-3", "a-4");
        (await next).Value.Event.Should().Be("a-2");
        (await queue.PullAsync()).Value.Event.Should().Be("a-3");
        (await queue.PullAsync()).HasValue.Should().BeFalse();
    }

    [Fact]
    public async Task Events_of_a_tag_are_in_the_order_of_writing_behind_an_offset()
    {
        await _one.WriteAsync("a", 1, "hello", "a green apple");
        await _one.WriteAsync("b", 1, "a black car");
        await _one.WriteAsync("a", 3, "something else", "a green banana");
        await _one.WriteAsync("b", 2, "a green and black leaf");
        EventEnvelope[] green = [.. await _one.AllOf(_one.Queries.CurrentEventsByTag("green", Offset.NoOffset()))];
        green.Select(static one => one.Event).Should().Equal("a green apple", "a green banana", "a green and black leaf");
        green[2].Tags.Should().BeEquivalentTo("green", "black");
        green.Select(static one => ((Sequence)one.Offset).Value).Should().BeInAscendingOrder();
        (await EventsAsync(_one.Queries.CurrentEventsByTag("green", green[1].Offset))).Should().Equal("a green and black leaf");
        (await EventsAsync(_one.Queries.CurrentEventsByTag("green", Offset.FromEnd(2))))
            .Should().Equal("a green banana", "a green and black leaf");
        (await EventsAsync(_one.Queries.CurrentEventsByTag("black", Offset.FromEnd(9)))).Should().HaveCount(2);
        (await EventsAsync(_one.Queries.CurrentAllEvents(Offset.FromEnd(1)))).Should().Equal("a green and black leaf");
        (await EventsAsync(_one.Queries.CurrentEventsByTag("gree", Offset.NoOffset()))).Should().BeEmpty();
        Action other = () => _one.Queries.EventsByTag("green", Offset.TimeBasedUuid(Guid.NewGuid()));
        other.Should().Throw<ArgumentException>().WithMessage("*TimeBasedUuid*");

        ISinkQueue<EventEnvelope> live = Pull(_one.Queries.EventsByTag("green", green[2].Offset));
        Task<Akka.Util.Option<EventEnvelope>> next = live.PullAsync();
        await _one.WriteAsync("c", 1, "a black night", "a green cucumber");
        (await next).Value.Event.Should().Be("a green cucumber");
    }

    [Fact]
    public async Task All_events_are_in_the_order_of_writing_also_after_deletions()
    {
        await _one.WriteAsync("a", 1, "1", "2");
        await _one.WriteAsync("b", 1, "3");
        EventEnvelope[] all = [.. await _one.AllOf(_one.Queries.CurrentAllEvents(Offset.NoOffset()))];
        all.Select(static one => one.Event).Should().Equal("1", "2", "3");
        await _one.DeleteAsync("b", 1);
        await _one.DeleteAsync("a", 2);
        await _one.WriteAsync("a", 3, "4");
        EventEnvelope newest = (await _one.AllOf(_one.Queries.CurrentAllEvents(all[2].Offset))).Should().ContainSingle().Subject;
        newest.Event.Should().Be("4");
        ((Sequence)newest.Offset).Value.Should().BeGreaterThan(((Sequence)all[2].Offset).Value, "no number is given twice");
        ISinkQueue<EventEnvelope> live = Pull(_one.Queries.AllEvents(Offset.NoOffset()));
        (await live.PullAsync()).Value.Event.Should().Be("4");
        Task<Akka.Util.Option<EventEnvelope>> next = live.PullAsync();
        await _one.WriteAsync("c", 1, "5");
        (await next).Value.Event.Should().Be("5");
    }

    [Fact]
    public async Task Ids_come_once_in_the_order_of_their_first_use()
    {
        object[] many = [.. Enumerable.Range(0, 250).Select(static i => $"event {i}")];
        await _one.WriteAsync("p", 1, many);
        for (int i = 0; i < 250; i++)
        {
            await _one.WriteAsync($"id {i}", 1, "x");
        }

        string[] expected = ["p", .. Enumerable.Range(0, 250).Select(static i => $"id {i}")];
        (await _one.AllOf(_one.Queries.CurrentPersistenceIds())).Should().Equal(expected);
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("p", 0, long.MaxValue))).Should().Equal(many);
        ISinkQueue<string> live = _one.Queries.PersistenceIds().Skip(expected.Length).RunWith(Sink.Queue<string>(), _one.Materializer);
        Task<Akka.Util.Option<string>> next = live.PullAsync();
        await _one.WriteAsync("p", 251, "again");
        await _one.WriteAsync("q", 1, "new");
        (await next).Value.Should().Be("q");
    }

    [Fact]
    public async Task Event_adapters_apply()
    {
        await _one.WriteAsync("a", 1, "loud green", "quiet");
        (await EventsAsync(_one.Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue))).Should().Equal("LOUD GREEN", "quiet");
        (await EventsAsync(_one.Queries.CurrentEventsByTag("green", Offset.NoOffset()))).Should().Equal("LOUD GREEN");
        (await _one.ReplayAsync("a")).Payloads.Should().Equal("LOUD GREEN", "quiet");
    }

    private async Task<object[]> EventsAsync(Source<EventEnvelope, NotUsed> source) =>
        [.. (await _one.AllOf(source)).Select(static envelope => envelope.Event)];

    private ISinkQueue<EventEnvelope> Pull(Source<EventEnvelope, NotUsed> source) =>
        source.RunWith(Sink.Queue<EventEnvelope>().WithAttributes(Attributes.CreateInputBuffer(1, 1)), _one.Materializer);
}
