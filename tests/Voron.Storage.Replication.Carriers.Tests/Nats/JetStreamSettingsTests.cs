using System.Globalization;
using FluentAssertions;
using NATS.Client.Core;
using NATS.Client.JetStream.Models;
using NATS.Client.JetStream;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Nats;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>A stream that would drop entries is refused when it is opened, with what to set.</summary>
public sealed class JetStreamSettingsTests(NatsServer server) : IClassFixture<NatsServer>
{
    private static readonly Dictionary<string, Action<StreamConfig>> Wrong = new()
    {
        ["storage: file"] = static settings => settings.Storage = StreamConfigStorage.Memory,
        ["discard: new"] = static settings => settings.Discard = StreamConfigDiscard.Old,
        ["retention: limits"] = static settings => settings.Retention = StreamConfigRetention.Workqueue,
        ["deny_delete: true"] = static settings => settings.DenyDelete = false,
        ["deny_purge: false"] = static settings => settings.DenyPurge = true,
        ["allow_rollup_hdrs: false"] = static settings => settings.AllowRollupHdrs = true,
        ["no_ack: false"] = static settings => settings.NoAck = true,
        ["max_age: 0"] = static settings => settings.MaxAge = TimeSpan.FromHours(1),
        ["max_msgs_per_subject: -1"] = static settings => settings.MaxMsgsPerSubject = 1000,
        ["max_msg_size: -1 or at least 5120"] = static settings => settings.MaxMsgSize = 5000,
        [".log and no other"] = static settings => settings.Subjects = [settings.Name + ".log", settings.Name + ".other"],
    };

    public static TheoryData<string> WrongSettings => [.. Wrong.Keys];

    [Theory]
    [MemberData(nameof(WrongSettings))]
    public async Task A_stream_that_could_lose_entries_is_refused(string wanted)
    {
        await server.NeedAsync();
        JetStreamLogOptions options = server.Options(server.NewName());
        StreamConfig settings = Sound(options);
        Wrong[wanted](settings);
        if (settings.AllowRollupHdrs)
        {
            settings.DenyPurge = false;
        }

        await CreateAsync(settings);
        Func<Task> open = async () => await JetStreamLog.OpenAsync(options, Logs.Soon());
        JetStreamSettingsException refusal = (await open.Should().ThrowAsync<JetStreamSettingsException>()).Which;
        refusal.Settings.Should().ContainSingle().Which.Should().Contain(wanted);
        refusal.Message.Should().Contain(options.Stream).And.Contain(wanted);
    }

    [Fact]
    public async Task A_stream_of_the_right_settings_that_refuses_when_it_is_full_is_taken()
    {
        await server.NeedAsync();
        JetStreamLogOptions options = server.Options(server.NewName());
        StreamConfig settings = Sound(options);
        settings.MaxMsgs = 3;
        await CreateAsync(settings);
        await using JetStreamLog log = await JetStreamLog.OpenAsync(options, Logs.Soon());
        await Logs.AppendAsync(log, Logs.Entry(1), Logs.Entry(2), Logs.Entry(3));
        Func<Task> append = async () => await log.AppendAsync(Logs.Entry(4), 3, Logs.Soon());
        (await append.Should().ThrowAsync<LogUnavailableException>()).WithMessage("*full*");
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(1, 3), "nothing was dropped");
        await log.TrimAsync(3, Logs.Soon());
        (await log.AppendAsync(Logs.Entry(4), 3, Logs.Soon())).Should().Be(4);
    }

    [Fact]
    public async Task A_limit_of_messages_is_the_limit_of_entries()
    {
        await server.NeedAsync();
        JetStreamLogOptions options = server.Options(server.NewName());
        StreamConfig settings = Sound(options);
        settings.MaxMsgSize = 9000;
        await CreateAsync(settings);
        await using JetStreamLog log = await JetStreamLog.OpenAsync(options, Logs.Soon());
        log.MaxEntryBytes.Should().Be(9000 - 1024);
        await Logs.AppendAsync(log, Logs.Entry(1, log.MaxEntryBytes));
    }

    [Fact]
    public async Task A_missing_stream_is_not_created_unless_it_may_be()
    {
        await server.NeedAsync();
        JetStreamLogOptions options = server.Options(server.NewName());
        options.CreateStream = false;
        Func<Task> open = async () => await JetStreamLog.OpenAsync(options, Logs.Soon());
        (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage("*there is none*");
    }

    [Fact]
    public async Task One_server_has_no_three_replicas()
    {
        await server.NeedAsync();
        JetStreamLogOptions options = server.Options(server.NewName());
        options.Replicas = 3;
        Func<Task> open = async () => await JetStreamLog.OpenAsync(options, Logs.Soon());
        (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage("*cluster of at least 3 servers*");
        options.Replicas = 1;
        await using (await JetStreamLog.OpenAsync(options, Logs.Soon()))
        {
            options.Replicas = 3;
            (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage("*num_replicas: at least 3 (it is 1)*");
        }
    }

    [Fact]
    public async Task A_subject_of_another_stream_is_refused()
    {
        await server.NeedAsync();
        JetStreamLogOptions options = server.Options(server.NewName());
        await using JetStreamLog log = await JetStreamLog.OpenAsync(options, Logs.Soon());
        JetStreamLogOptions other = server.Options(server.NewName());
        other.Subject = options.Stream + ".log";
        Func<Task> open = async () => await JetStreamLog.OpenAsync(other, Logs.Soon());
        (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage("*no other stream*");
    }

    [Theory]
    [InlineData("")]
    [InlineData("a.b")]
    [InlineData("a b")]
    [InlineData("a>")]
    public async Task A_name_that_no_stream_can_have_is_refused(string name)
    {
        Func<Task> open = async () => await JetStreamLog.OpenAsync(new JetStreamLogOptions { Stream = name }, Logs.Soon());
        await open.Should().ThrowAsync<ArgumentException>();
    }

    [Fact]
    public async Task What_weakens_the_log_is_said()
    {
        await server.NeedAsync();
        await using JetStreamLog log = await JetStreamLog.OpenAsync(server.Options(server.NewName()), Logs.Soon());
        log.Warnings.Should().ContainMatch("*1 server(s)*");
    }

    [Theory]
    [InlineData("max_payload: 65536\njetstream { store_dir: \"DATA\" }", null)]
    [InlineData("max_payload: 4000\njetstream { store_dir: \"DATA\" }", "*max_payload*")]
    [InlineData("max_payload: 65536", "*jetstream on the servers*")]
    public async Task The_limits_of_the_server_count(string settings, string? refusal)
    {
        using TemporaryFolder folder = new();
        int port = FreePorts.Next();
        string file = Path.Combine(folder.Path, "server.conf");
        string text = string.Create(CultureInfo.InvariantCulture, $"listen: 127.0.0.1:{port}\n{settings}\n");
        await File.WriteAllTextAsync(file, text.Replace("DATA", folder.Path, StringComparison.Ordinal));
        using ServerProcess process = new(NatsServer.Program, port, "-c", file);
        await process.StartAsync();
        JetStreamLogOptions options = new()
        {
            Url = string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}"),
            Stream = "log",
            Replicas = 1,
        };
        if (refusal is not null)
        {
            Func<Task> open = async () => await JetStreamLog.OpenAsync(options, Logs.Soon());
            (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage(refusal);
            return;
        }

        await using JetStreamLog log = await JetStreamLog.OpenAsync(options, Logs.Soon());
        log.MaxEntryBytes.Should().Be(65536 - 1024);
        await Logs.AppendAsync(log, Logs.Entry(1, log.MaxEntryBytes));
    }

    [Fact]
    public async Task Without_a_server_opening_says_so()
    {
        JetStreamLogOptions options = new()
        {
            Url = string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{FreePorts.Next()}"),
            Stream = "log",
            RequestTimeout = TimeSpan.FromSeconds(1),
        };
        Func<Task> open = async () => await JetStreamLog.OpenAsync(options, Logs.Soon());
        await open.Should().ThrowAsync<LogUnavailableException>();
    }

    private static StreamConfig Sound(JetStreamLogOptions options) => new(options.Stream, [options.Stream + ".log"])
    {
        Storage = StreamConfigStorage.File,
        Discard = StreamConfigDiscard.New,
        DenyDelete = true,
        MaxMsgs = -1,
        MaxBytes = -1,
        MaxConsumers = -1,
        NumReplicas = 1,
    };

    private async Task CreateAsync(StreamConfig settings)
    {
        await using NatsConnection connection = new(new NatsOpts { Url = server.Url });
        await new NatsJSContext(connection).CreateStreamAsync(settings, Logs.Soon());
    }
}
