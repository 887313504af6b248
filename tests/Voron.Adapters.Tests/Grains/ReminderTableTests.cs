using FluentAssertions;
using Microsoft.Extensions.Options;
using Orleans;
using Orleans.Configuration;
using Orleans.Runtime;
using Voron.Storage;
using Voron.Storage.Orleans;
using Xunit;

namespace Voron.Adapters.Tests.Grains;

/// <summary>The contract of <see cref="IReminderTable"/>.</summary>
public sealed class ReminderTableTests : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
    private readonly VoronReminderTable _table;

    public ReminderTableTests() => _table = TableOf("service/1");

    public void Dispose() => _environment.Dispose();

    [Fact]
    public async Task A_reminder_is_put_read_replaced_and_removed_by_its_ETag()
    {
        ReminderEntry entry = Entry(NewId(), "foo/bar\\#b_a_z?");
        (await _table.ReadRow(entry.GrainId, entry.ReminderName)).Should().BeNull();
        string? first = await _table.UpsertRow(entry);
        ReminderEntry read = (await _table.ReadRow(entry.GrainId, entry.ReminderName))!;
        read.Should().BeEquivalentTo(entry, static options => options.Excluding(static one => one.ETag).ComparingByValue<GrainId>());
        read.ETag.Should().Be(first);
        entry.StartAt = entry.StartAt.AddTicks(1);
        string? second = await _table.UpsertRow(entry);
        second.Should().NotBeNullOrEmpty().And.NotBe(first);
        (await _table.RemoveRow(entry.GrainId, entry.ReminderName, first!)).Should().BeFalse();
        (await _table.RemoveRow(entry.GrainId, "other", second!)).Should().BeFalse();
        (await _table.RemoveRow(NewId(), entry.ReminderName, second!)).Should().BeFalse();
        (await _table.RemoveRow(entry.GrainId, entry.ReminderName, second!)).Should().BeTrue();
        (await _table.RemoveRow(entry.GrainId, entry.ReminderName, second!)).Should().BeFalse();
    }

    [Fact]
    public async Task Reminders_of_a_grain_are_read_and_no_others()
    {
        string longText = new('k', 3000);
        GrainId[] ids = [.. new[] { "k", "k1", longText, longText + 1 }.Select(static key => GrainId.Create("t", key))];
        foreach (GrainId id in ids)
        {
            foreach (string name in new[] { "a", "b", longText, longText + "1" })
            {
                await _table.UpsertRow(Entry(id, name));
            }
        }

        foreach (GrainId id in ids)
        {
            ReminderTableData rows = await _table.ReadRows(id);
            rows.Reminders.Should().HaveCount(4).And.OnlyContain(row => row.GrainId == id);
            rows.Reminders.Select(static row => row.ReminderName).Should().BeEquivalentTo("a", "b", longText, longText + "1");
        }

        (await _table.ReadRows(GrainId.Create("t", "k2"))).Reminders.Should().BeEmpty();
    }

    [Fact]
    public async Task Ranges_begin_behind_and_go_round()
    {
        GrainId[] ids = [.. Enumerable.Range(0, 300).Select(static _ => NewId())];
        await Task.WhenAll(ids.Select(id => _table.UpsertRow(Entry(id, "r"))));
        uint[] hashes = [.. ids.Select(static id => id.GetUniformHashCode())];
        uint some = hashes[0];
        List<(uint Begin, uint End)> ranges =
        [
            (0, uint.MaxValue), (0, 0), (uint.MaxValue, 0), (uint.MaxValue, uint.MaxValue),
            (some, some), (some - 1, some), (some, some + 1),
        ];
        Random random = new(1);
        ranges.AddRange(Enumerable.Range(0, 200).Select(_ => ((uint)random.NextInt64(1L << 32), (uint)random.NextInt64(1L << 32))));
        foreach ((uint begin, uint end) in ranges)
        {
            IEnumerable<uint> expected = begin < end
                ? hashes.Where(hash => hash > begin && hash <= end)
                : hashes.Where(hash => hash > begin || hash <= end);
            (await _table.ReadRows(begin, end)).Reminders.Select(static row => row.GrainId.GetUniformHashCode()).Order()
                .Should().Equal(expected.Order(), "the range is ({0}, {1}]", begin, end);
        }
    }

    [Fact]
    public async Task Parallel_puts_of_a_reminder_have_different_ETags_and_the_last_is_stored()
    {
        GrainId id = NewId();
        string?[] eTags = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => _table.UpsertRow(Entry(id, "same"))));
        eTags.Should().OnlyHaveUniqueItems();
        eTags.Should().Contain((await _table.ReadRow(id, "same"))!.ETag);
        (await _table.ReadRows(id)).Reminders.Should().ContainSingle();
    }

    [Fact]
    public async Task Services_are_apart_and_each_is_cleared_alone()
    {
        VoronReminderTable other = TableOf("service");
        await _table.UpsertRow(Entry(NewId(), "r"));
        await other.UpsertRow(Entry(NewId(), "r"));
        (await other.ReadRows(0, 0)).Reminders.Should().ContainSingle();
        await _table.TestOnlyClearTable();
        (await _table.ReadRows(0, 0)).Reminders.Should().BeEmpty();
        (await other.ReadRows(0, 0)).Reminders.Should().ContainSingle();
    }

    private static GrainId NewId() => GrainId.Create("my-grain", $"{Guid.NewGuid():N}+foo/bar\\#baz?");

    private static ReminderEntry Entry(GrainId id, string name) => new()
    {
        GrainId = id,
        ReminderName = name,
        StartAt = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc),
        Period = TimeSpan.FromMinutes(90),
    };

    private VoronReminderTable TableOf(string service) =>
        new(new VoronReminderOptions(), _environment, Options.Create(new ClusterOptions { ServiceId = service }));
}
