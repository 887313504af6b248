using System.Diagnostics.Metrics;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Expiry;
using Voron.Storage.Extensions.Tests.Telemetry;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Expiry;

public sealed class ExpirySweepTests : IDisposable
{
    private readonly TestHost _host = new();
    private readonly ManualTime _time = new();
    private readonly Sessions _sessions = new();

    public ExpirySweepTests()
    {
        _host.Services.AddSingleton<TimeProvider>(_time);
        _host.Services.AddVoronStorage(static options => options.InMemory = true);
        _host.Builder.Logging.SetMinimumLevel(LogLevel.Debug);
    }

    /// <summary>The lines about sweeps that failed.</summary>
    private IEnumerable<(LogLevel Level, int Id, string Text, Exception? Error)> Failures =>
        _host.Log.All.Where(static line => line.Id is 6 or 7);

    public void Dispose() => _host.Dispose();

    [Fact]
    public async Task Rows_go_when_the_clock_has_passed_their_end()
    {
        _host.Services.AddVoronExpirySweep(_sessions.Table, static options => options.RowsPerTransaction = 3);
        using Collected collected = new(_host.Provider.GetRequiredService<IMeterFactory>());
        using Turns turns = new(_host.Provider.GetRequiredService<IMeterFactory>());
        DateTimeOffset start = _time.Now;
        _sessions.Add(_host.Storage, 0, 4, start);
        _sessions.Add(_host.Storage, 4, 10, start.AddSeconds(30));
        _sessions.Add(_host.Storage, 14, 5, start.AddSeconds(90));
        _sessions.Add(_host.Storage, 19, 2, null);

        await _host.StartAsync();
        await turns.NextAsync();
        _sessions.Ids(_host.Storage).Should().Equal(Enumerable.Range(4, 17), "what had expired before is swept at once");
        _time.Now = start.AddSeconds(59);
        turns.Unseen.Should().Be(0, "a turn takes a minute");

        long before = _host.Storage.GetReport().Commits;
        _time.Now = start.AddSeconds(60);
        await turns.NextAsync();
        _sessions.Ids(_host.Storage).Should().Equal(Enumerable.Range(14, 7));
        (_host.Storage.GetReport().Commits - before).Should().Be(4, "ten rows, three in each transaction");
        _time.Now = start.AddHours(1);
        await turns.NextAsync();
        _sessions.Ids(_host.Storage).Should().Equal([19, 20], "these never expire");
        _sessions.Check(_host.Storage).Should().BeEmpty();
        _host.Storage.Check().Findings.Should().BeEmpty();

        collected.Values["voron.storage.expiry.rows"].Sum(static one => one.Value).Should().Be(19);
        collected.Count("voron.storage.expiry.failures").Should().Be(0);
        _host.Log.All.Where(static line => line.Id == 5).Select(static line => line.Text).Should().StartWith(
        [
            "Storage 'default': 4 rows of the table 'sessions' had expired and are deleted.",
            "Storage 'default': 10 rows of the table 'sessions' had expired and are deleted.",
        ]);
        await _host.Running.StopAsync();
        _time.Timers.Should().Be(0, "a stopped service leaves no timer behind");
    }

    [Fact]
    public async Task Nothing_is_written_when_nothing_has_expired()
    {
        _host.Services.AddVoronExpirySweep(_sessions.Table);
        using Turns turns = new(_host.Provider.GetRequiredService<IMeterFactory>());
        await _host.StartAsync();
        await turns.NextAsync();
        _host.Storage.GetReport().Commits.Should().Be(0, "there is no table");
        _sessions.Add(_host.Storage, 0, 3, _time.Now.AddDays(1));
        _time.Now = _time.Now.AddMinutes(1);
        await turns.NextAsync();
        _host.Storage.GetReport().Commits.Should().Be(1, "that of the rows");
    }

    [Fact]
    public async Task A_table_without_an_index_of_expiry_is_left_alone()
    {
        _host.Services.AddVoronExpirySweep(_sessions.Plain);
        using Turns turns = new(_host.Provider.GetRequiredService<IMeterFactory>());
        await _host.StartAsync();
        _time.Now = _time.Now.AddDays(1);
        (_time.Timers, turns.Unseen, _host.Storage.GetReport().Commits).Should().Be((0, 0, 0L));
        _host.Log.All.Should().ContainSingle(static line => line.Id == 8).Which.Text.Should()
            .Be("Storage 'default': the table 'sessions' has no index of expiry, so none of its rows is ever deleted.");
    }

    [Fact]
    public async Task A_sweep_that_fails_is_told_and_the_next_turn_tries_again()
    {
        _host.Services.AddVoronExpirySweep(_sessions.Table);
        using Collected collected = new(_host.Provider.GetRequiredService<IMeterFactory>());
        using Turns turns = new(_host.Provider.GetRequiredService<IMeterFactory>());

        // A version of the program without the index wrote the rows, so the index is not built.
        _sessions.Add(_host.Storage, 0, 5, _time.Now, _sessions.Plain);
        await _host.StartAsync();
        await turns.NextAsync();
        (LogLevel level, int id, string text, Exception? error) = Failures.Should().ContainSingle().Which;
        (level, id, error).Should().Be((LogLevel.Warning, 6, null), "it is no fault of the program");
        text.Should().StartWith("Storage 'default': expired rows of the table 'sessions' stay").And.Contain("BuildIndexesAsync");
        await _host.Storage.BuildIndexesAsync(_sessions.Table);

        _sessions.OnDecode = static () => throw new FormatException("No session.");
        _time.Now = _time.Now.AddMinutes(1);
        await turns.NextAsync();
        (level, id, text, error) = Failures.Last();
        (level, id).Should().Be((LogLevel.Error, 7));
        text.Should().EndWith("tries again: No session.");
        error.Should().BeOfType<FormatException>();
        collected.Values["voron.storage.expiry.failures"].Sum(static one => one.Value).Should().Be(2);
        _host.Storage.GetReport().OpenReaders.Should().Be(0);

        _sessions.OnDecode = null;
        _sessions.Ids(_host.Storage).Should().HaveCount(5, "the failed sweep changed nothing");
        _time.Now = _time.Now.AddMinutes(1);
        await turns.NextAsync();
        _sessions.Ids(_host.Storage).Should().BeEmpty();
        _sessions.Check(_host.Storage).Should().BeEmpty();
        collected.Count("voron.storage.expiry.failures").Should().Be(2);
    }

    [Fact]
    public async Task A_stop_ends_the_sweep_after_the_present_transaction()
    {
        _host.Services.AddVoronExpirySweep(_sessions.Table, static options => options.RowsPerTransaction = 1);
        _sessions.Add(_host.Storage, 0, 100, _time.Now);
        using ManualResetEventSlim isSweeping = new();
        using ManualResetEventSlim mayGoOn = new();
        int read = 0;
        _sessions.OnDecode = () =>
        {
            if (Interlocked.Increment(ref read) == 3)
            {
                isSweeping.Set();
                mayGoOn.Wait();
            }
        };
        await _host.StartAsync();
        isSweeping.Wait();
        Task stop = _host.Provider.GetServices<IHostedService>().OfType<ExpirySweeper>().Single()
            .StopAsync(CancellationToken.None);
        mayGoOn.Set();
        await stop;
        _sessions.OnDecode = null;
        _sessions.Ids(_host.Storage).Should().HaveCount(97, "the others were left for another time");
        _sessions.Check(_host.Storage).Should().BeEmpty();
        Failures.Should().BeEmpty("a stop is no failure");
        _time.Timers.Should().Be(0);
    }

    [Fact]
    public async Task Each_storage_and_each_table_has_a_sweep_of_its_own()
    {
        Sessions others = new("others");
        _host.Services.AddKeyedVoronStorage("second", static options => options.InMemory = true);
        _host.Services.AddVoronExpirySweep(_sessions.Table).AddVoronExpirySweep(others.Table)
            .AddKeyedVoronExpirySweep("second", _sessions.Table, static options => options.SweepInterval = TimeSpan.FromHours(1));
        using Turns turns = new(_host.Provider.GetRequiredService<IMeterFactory>());
        StorageEnvironment second = _host.Provider.GetRequiredKeyedService<StorageEnvironment>("second");
        await _host.StartAsync();
        for (int service = 0; service < 3; service++)
        {
            await turns.NextAsync();
        }

        _sessions.Add(_host.Storage, 0, 2, _time.Now);
        others.Add(_host.Storage, 0, 2, _time.Now);
        _sessions.Add(second, 0, 2, _time.Now);
        _time.Now = _time.Now.AddMinutes(1);
        await turns.NextAsync();
        await turns.NextAsync();
        (_sessions.Ids(_host.Storage).Count, others.Ids(_host.Storage).Count, _sessions.Ids(second).Count).Should().Be((0, 0, 2));
        _time.Now = _time.Now.AddMinutes(59);
        while (_sessions.Ids(second).Count > 0)
        {
            await turns.NextAsync();
        }
    }

    [Fact]
    public async Task A_table_of_bytes_is_swept_as_well()
    {
        RawTableDefinition table = new("raw", RawIndex.Expiry(static row => new DateTimeOffset(BitConverter.ToInt64(row), TimeSpan.Zero)));
        _host.Services.AddKeyedVoronStorage("raw", static options => options.InMemory = true);
        _host.Services.AddVoronExpirySweep(table).AddKeyedVoronExpirySweep("raw", table);
        using Turns turns = new(_host.Provider.GetRequiredService<IMeterFactory>());
        StorageEnvironment[] both = [_host.Storage, _host.Provider.GetRequiredKeyedService<StorageEnvironment>("raw")];
        foreach (StorageEnvironment storage in both)
        {
            await storage.WriteAsync(
                static (tx, state) =>
                {
                    tx.OpenTable(state.table).Put("old"u8, BitConverter.GetBytes(state.Now.UtcTicks));
                    tx.OpenTable(state.table).Put("new"u8, BitConverter.GetBytes(state.Now.UtcTicks + 1));
                },
                (table, _time.Now));
        }

        await _host.StartAsync();
        await turns.NextAsync();
        await turns.NextAsync();
        foreach (StorageEnvironment storage in both)
        {
            using ReadTransaction read = storage.BeginRead();
            ReadRawTable rows = read.OpenTable(table);
            (rows.Count, rows.Contains("new"u8)).Should().Be((1L, true));
            rows.Check().Should().BeEmpty();
        }
    }

    [Fact]
    public async Task Bad_settings_are_refused()
    {
        _host.Services.AddVoronExpirySweep(_sessions.Table, static options => options.SweepInterval = TimeSpan.Zero);
        _host.Services.Invoking(services => services.AddVoronExpirySweep(_sessions.Plain)).Should().Throw<InvalidOperationException>()
            .WithMessage("*'sessions' in the storage 'default'*before*");
        _host.Services.Invoking(static services => services.AddVoronExpirySweep((RawTableDefinition)null!)).Should()
            .Throw<ArgumentNullException>();
        _host.Services.Invoking(services => services.AddKeyedVoronExpirySweep("", _sessions.Table)).Should().Throw<ArgumentException>();
        (await _host.Invoking(static host => host.StartAsync()).Should().ThrowAsync<OptionsValidationException>()).Which.Message.Should()
            .Be("The SweepInterval of the table 'sessions' is between a millisecond and a day.");

        using TestHost rows = new();
        rows.Services.AddVoronStorage(static options => options.InMemory = true);
        rows.Services.AddVoronExpirySweep(_sessions.Table, static options => options.RowsPerTransaction = 0);
        await rows.Invoking(static host => host.StartAsync()).Should().ThrowAsync<OptionsValidationException>();

        using TestHost alone = new();
        alone.Services.AddVoronExpirySweep(_sessions.Table);
        (await alone.Invoking(static host => host.StartAsync()).Should().ThrowAsync<InvalidOperationException>()).Which.Message.Should()
            .Be("There is no storage 'default'. Call AddVoronStorage or AddKeyedVoronStorage for it.");
    }
}
