using System.Diagnostics.Metrics;
using System.Text.RegularExpressions;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Voron.Storage.Extensions.Tests.Hosting;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Telemetry;

public sealed partial class MetricTests
{
    [Fact]
    public async Task Figures_are_read_back_through_a_listener()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(static options => options.Path = "data");
        using Collected collected = new(host.Provider.GetRequiredService<IMeterFactory>());
        await host.StartAsync();
        for (int i = 0; i < 5; i++)
        {
            LifecycleTests.Put(host.Storage, $"key {i}");
        }

        using (host.Storage.BeginRead())
        {
            while (collected.Collect().Last("voron.storage.reader.age") == 0)
            {
                await Task.Delay(1);
            }

            EnvironmentReport report = host.Storage.GetReport();
            collected.Last("voron.storage.commits").Should().Be(5);
            collected.Last("voron.storage.journal.written").Should().Be(report.JournalBytesWritten).And.Be(5 * 4096);
            collected.Last("voron.storage.journal.writes").Should().Be(5);
            collected.Last("voron.storage.checkpoint.lag").Should().Be(report.CheckpointLagBytes).And.BePositive();
            collected.Last("voron.storage.dirty").Should().BePositive();
            collected.Last("voron.storage.file.size").Should().Be(report.DataFileBytes);
            collected.Last("voron.storage.journal.size").Should().BePositive();
            collected.Last("voron.storage.readers").Should().Be(1);
            collected.Last("voron.storage.reader.age").Should().BePositive();
        }

        collected.Count("voron.storage.commit.duration").Should().Be(5);
        collected.Last("voron.storage.commit.duration").Should().BePositive();
        collected.Last("voron.storage.commit.group").Should().Be(1);

        host.Storage.Checkpoint();
        collected.Collect().Last("voron.storage.checkpoints").Should().BePositive();
        collected.Last("voron.storage.checkpoint.lag").Should().Be(0);
        collected.Last("voron.storage.readers").Should().Be(0);
        collected.Count("voron.storage.checkpoint.duration").Should().BePositive();
        collected.Values.Values.SelectMany(static all => all).Select(static one => one.Storage).Should().OnlyContain(
            static storage => (string)storage! == "default");
    }

    [Fact]
    public async Task Callers_that_share_a_write_are_one_group()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(static options => options.Path = "data");
        using Collected collected = new(host.Provider.GetRequiredService<IMeterFactory>());
        await host.StartAsync();
        List<Task> commits = [];
        for (int i = 0; i < 50; i++)
        {
            using WriteTransaction write = host.Storage.BeginWrite();
            write.OpenTree("t").Put(BitConverter.GetBytes(i), "x"u8);
            commits.Add(write.CommitAsync().AsTask());
        }

        await Task.WhenAll(commits);
        collected.Values["voron.storage.commit.group"].Sum(static one => one.Value).Should().Be(50);
        collected.Count("voron.storage.commit.duration").Should().Be((int)host.Storage.GetReport().JournalWrites);
    }

    [Fact]
    public async Task A_closed_environment_measures_nothing()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(static options => options.Path = "data");
        using Collected collected = new(host.Provider.GetRequiredService<IMeterFactory>());
        await host.StartAsync();
        await host.Running.StopAsync();
        collected.Collect().Count("voron.storage.commits").Should().Be(0);
    }

    [Fact]
    public async Task The_document_lists_all_instruments_and_their_units()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(static options => options.Path = "data");
        Dictionary<string, string?> real = [];
        using MeterListener listener = new();
        IMeterFactory factory = host.Provider.GetRequiredService<IMeterFactory>();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter.Scope == factory && instrument.Meter.Name == VoronStorageTelemetry.MeterName)
            {
                real[instrument.Name] = instrument.Unit;
            }
        };
        listener.Start();
        await host.StartAsync();
        string document = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "services.md"));
        Row().Matches(document).ToDictionary(static row => row.Groups["name"].Value, static row => (string?)row.Groups["unit"].Value)
            .Should().BeEquivalentTo(real);
    }

    [GeneratedRegex(@"^\| `(?<name>voron\.storage\.[a-z.]+)` \| [a-z]+ \| `(?<unit>[^`]+)` \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
