using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Adapters.Tests.Actors;

/// <summary>The protocol of journals.</summary>
public sealed class JournalTests : IAsyncDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();
    private readonly OneSystem _one;

    public JournalTests() => _one = new OneSystem(_environment);

    public async ValueTask DisposeAsync()
    {
        await _one.DisposeAsync();
        _environment.Check().Findings.Should().BeEmpty();
        _environment.Dispose();
    }

    [Theory]
    [InlineData(0, long.MaxValue, long.MaxValue, "12345")]
    [InlineData(3, long.MaxValue, long.MaxValue, "345")]
    [InlineData(1, 3, long.MaxValue, "123")]
    [InlineData(1, long.MaxValue, 3, "123")]
    [InlineData(2, 5, 2, "23")]
    [InlineData(2, 2, long.MaxValue, "2")]
    [InlineData(2, 4, 0, "")]
    [InlineData(3, 2, long.MaxValue, "")]
    public async Task Events_are_replayed_within_bounds(long from, long to, long max, string expected)
    {
        await _one.WriteAsync("p", 1, "1", "2", "3", "4", "5");
        await _one.WriteAsync("p1", 1, "other");
        (List<object> payloads, long highest) = await _one.ReplayAsync("p", from, to, max);
        string.Concat(payloads).Should().Be(expected);
        highest.Should().Be(5);
        (await _one.ReplayAsync("nobody")).Highest.Should().Be(0);
    }

    [Fact]
    public async Task Deleted_events_are_gone_and_the_highest_number_stays()
    {
        await _one.WriteAsync("p", 1, "1", "2", "a green 3", "4", "5");
        await _one.DeleteAsync("p", 3);
        (await _one.ReplayAsync("p")).Payloads.Should().Equal("4", "5");
        (await _one.AllOf(_one.Queries.CurrentEventsByTag("green", Akka.Persistence.Query.Offset.NoOffset()))).Should().BeEmpty();
        await _one.DeleteAsync("p", -1);
        (await _one.ReplayAsync("p", -1)).Payloads.Should().Equal("4", "5");
        await _one.DeleteAsync("p", long.MaxValue);
        (List<object> payloads, long highest) = await _one.ReplayAsync("p");
        payloads.Should().BeEmpty();
        highest.Should().Be(5);
        await _one.WriteAsync("p", 6, "6");
        (await _one.ReplayAsync("p")).Payloads.Should().Equal("6");
    }

    [Fact]
    public async Task Everything_about_an_event_but_its_sender_comes_back()
    {
        Persistent written = new(12.5m, 1, "p", "a manifest", writerGuid: "a writer");
        _one.Journal.Tell(new WriteMessages([new AtomicWrite(written)], _one.Inbox.Receiver, 1));
        await _one.NextAsync<WriteMessagesSuccessful>();
        await _one.NextAsync<WriteMessageSuccess>();
        _one.Journal.Tell(new ReplayMessages(0, 1, 1, "p", _one.Inbox.Receiver));
        IPersistentRepresentation read = (await _one.NextAsync<ReplayedMessage>()).Persistent;
        (read.PersistenceId, read.SequenceNr, read.WriterGuid, read.IsDeleted).Should().Be(("p", 1L, "a writer", false));
        read.Payload.Should().Be(12.5m);
        read.Timestamp.Should().BePositive();
    }

    [Fact]
    public async Task What_cannot_be_serialized_is_rejected_and_the_rest_is_written()
    {
        object bad = new Unserializable();
        IPersistentEnvelope[] writes =
        [
            new AtomicWrite(new Persistent("1", 1, "p")),
            new AtomicWrite(ImmutableList.Create<IPersistentRepresentation>(new Persistent("2", 2, "p"), new Persistent(bad, 3, "p"))),
            new AtomicWrite(new Persistent("4", 4, "p")),
        ];
        _one.Journal.Tell(new WriteMessages(writes, _one.Inbox.Receiver, 1));
        await _one.NextAsync<WriteMessagesSuccessful>();
        (await _one.NextAsync<WriteMessageSuccess>()).Persistent.SequenceNr.Should().Be(1);
        (await _one.NextAsync<WriteMessageRejected>()).Persistent.SequenceNr.Should().Be(2);
        (await _one.NextAsync<WriteMessageRejected>()).Persistent.SequenceNr.Should().Be(3);
        (await _one.NextAsync<WriteMessageSuccess>()).Persistent.SequenceNr.Should().Be(4);
        (await _one.ReplayAsync("p")).Payloads.Should().Equal("1", "4");
    }

    [Fact]
    public async Task A_second_writer_with_the_same_id_fails_and_writes_nothing()
    {
        await _one.WriteAsync("p", 1, "1", "2");
        IPersistentEnvelope[] writes = [new AtomicWrite(new Persistent("3", 3, "p")), new AtomicWrite(new Persistent("again", 2, "p"))];
        _one.Journal.Tell(new WriteMessages(writes, _one.Inbox.Receiver, 1));
        (await _one.NextAsync<WriteMessagesFailed>()).Cause.Message.Should().Contain("'p'").And.Contain("sequence number 2");
        await _one.NextAsync<WriteMessageFailure>();
        await _one.NextAsync<WriteMessageFailure>();
        (await _one.ReplayAsync("p")).Payloads.Should().Equal("1", "2");
    }

    private sealed class Unserializable
    {
        public string Text => throw new NotSupportedException();
    }
}
