using System.Buffers.Text;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;
using NATS.Client.ObjectStore;
using NATS.Client.ObjectStore.Models;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// Snapshots as objects of a bucket of NATS JetStream's object store. An object has a message that names it, stored last, and messages with
/// its parts. One whose parts are not all there is not listed: a crash of a server, or a client whose answer was lost, can leave such.
/// </summary>
public sealed class JetStreamSnapshots : IReplicaSnapshots, IAsyncDisposable
{
    private const string PositionKey = "position";
    private const string TransactionKey = "transaction";
    private const string StateKey = "state";

    private readonly JetStreamSnapshotsOptions _options;
    private readonly JetStreamConnection _connection;
    private INatsObjStore _store = null!;
    private int _partBytes;

    private JetStreamSnapshots(JetStreamSnapshotsOptions options)
    {
        _options = options;
        _connection = new JetStreamConnection(this, $"Bucket '{options.Bucket}'", options.RequestTimeout, options.Connection());
    }

    /// <summary>The stream behind the bucket.</summary>
    internal string Stream => _options.Stream;

    /// <summary>What weakens the bucket without making it wrong, in words for an operator; empty if there is nothing.</summary>
    public IReadOnlyList<string> Warnings { get; private set; } = [];

    /// <summary>Connects, creates the bucket if it is missing and may be created, and checks its configuration.</summary>
    /// <param name="options">Where the bucket is.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="JetStreamSettingsException">The bucket would lose snapshots as it is set.</exception>
    /// <exception cref="LogUnavailableException">The servers do not answer, or the cluster has no leader yet.</exception>
    public static async ValueTask<JetStreamSnapshots> OpenAsync(
        JetStreamSnapshotsOptions options, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        JetStreamSnapshots snapshots = new(options.Checked());
        try
        {
            await snapshots.OpenAsync(cancellation).ConfigureAwait(false);
            return snapshots;
        }
        catch
        {
            await snapshots.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="LogUnavailableException">The servers do not answer.</exception>
    public async ValueTask<IReadOnlyList<ReplicaSnapshot>> ListAsync(CancellationToken cancellation)
    {
        // An object that is replaced meanwhile seems to have no parts. It has when it is asked for again.
        for (bool isAgain = false; ; isAgain = true)
        {
            IDictionary<string, long> messages = await MessagesAsync(cancellation).ConfigureAwait(false);
            List<ObjectMetadata> objects = await ObjectsAsync(messages, cancellation).ConfigureAwait(false);
            if (isAgain || objects.TrueForAll(one => IsWhole(one, messages)))
            {
                return
                [
                    .. objects.Where(one => IsWhole(one, messages)).Select(Read).OfType<ReplicaSnapshot>()
                        .OrderByDescending(static one => one.Position),
                ];
            }
        }
    }

    /// <inheritdoc/>
    /// <exception cref="LogUnavailableException">The servers do not answer, or cannot store more.</exception>
    public async ValueTask WriteAsync(
        ReplicaSnapshot snapshot, Func<PipeWriter, CancellationToken, ValueTask> write, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(write);
        _connection.ThrowIfEnded(cancellation);
        ObjectMetadata made = new()
        {
            Name = NameOf(snapshot),
            Metadata = new Dictionary<string, string>
            {
                [PositionKey] = snapshot.Position.ToString(CultureInfo.InvariantCulture),
                [TransactionKey] = snapshot.TransactionId.ToString(CultureInfo.InvariantCulture),
                [StateKey] = Convert.ToBase64String(snapshot.State.Span),
            },
            Options = new MetaDataOptions { MaxChunkSize = _partBytes },
        };
        using SnapshotTransfer transfer = new(_options.RequestTimeout, cancellation, _connection.Disposal);
        try
        {
            await transfer.UploadAsync(
                write, (stream, end) => CarryAsync(_store.PutAsync(made, stream, leaveOpen: true, end), "write", cancellation))
                .ConfigureAwait(false);
        }
        catch
        {
            await ForgetAsync(made).ConfigureAwait(false);
            throw;
        }

        await SweepAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    /// <exception cref="LogUnavailableException">The servers do not answer, or no longer have the snapshot.</exception>
    /// <exception cref="InvalidDataException">The content is not what was written.</exception>
    public async ValueTask ReadAsync(
        ReplicaSnapshot snapshot, Func<PipeReader, CancellationToken, ValueTask> read, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(read);
        _connection.ThrowIfEnded(cancellation);
        using SnapshotTransfer transfer = new(_options.RequestTimeout, cancellation, _connection.Disposal);
        await transfer.DownloadAsync(
            read, (stream, end) => CarryAsync(_store.GetAsync(NameOf(snapshot), stream, leaveOpen: true, end), "read", cancellation))
            .ConfigureAwait(false);
    }

    /// <inheritdoc/>
    /// <exception cref="LogUnavailableException">The servers do not answer; maybe it is gone.</exception>
    public async ValueTask DeleteAsync(ReplicaSnapshot snapshot, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        string name = NameOf(snapshot);
        if (await FindAsync(name, cancellation).ConfigureAwait(false) is { } found)
        {
            // The name first: without it the parts are no snapshot.
            await PurgeAsync(NameSubject(name), cancellation).ConfigureAwait(false);
            await PurgeAsync(PartsSubject(found), cancellation).ConfigureAwait(false);
        }
    }

    /// <summary>Ends transfers that still run and closes the connection.</summary>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private async ValueTask OpenAsync(CancellationToken cancellation)
    {
        INatsServerInfo server = await _connection.ConnectAsync(cancellation).ConfigureAwait(false)
            ?? throw JetStreamSettingsException.OfBucket(_options.Bucket, ["jetstream on the servers (it is off)"]);
        NatsObjContext objects = new(_connection.Context);
        _store = await _connection.AskAsync(token => FindOrCreateAsync(objects, token), "bucket", cancellation).ConfigureAwait(false);
        INatsJSStream stream = await _connection.AskAsync(
            token => _connection.Context.GetStreamAsync(_options.Stream, cancellationToken: token), "settings", cancellation)
            .ConfigureAwait(false);
        if (BucketSettings.Check(stream.Info.Config, _options) is { Count: > 0 } wrong)
        {
            throw JetStreamSettingsException.OfBucket(_options.Bucket, wrong);
        }

        _partBytes = BucketSettings.PartBytesOf(server.MaxPayload, stream.Info.Config);
        Warnings = JetStreamWarnings.Of(server, stream.Info.Config, "bucket");
    }

    private async ValueTask<INatsObjStore> FindOrCreateAsync(NatsObjContext objects, CancellationToken cancellation)
    {
        try
        {
            return await objects.GetObjectStoreAsync(_options.Bucket, cancellation).ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.StreamNotFound)
        {
            if (!_options.CreateBucket)
            {
                throw JetStreamSettingsException.OfBucket(_options.Bucket, ["a bucket of this name (there is none)"], e);
            }
        }

        try
        {
            return await objects.CreateObjectStoreAsync(BucketSettings.New(_options), cancellation).ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.StreamNameInUse)
        {
            return await objects.GetObjectStoreAsync(_options.Bucket, cancellation).ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.ReplicasNotSupported)
        {
            string wanted = $"a cluster of at least {_options.Replicas} servers, or 1 replica in the options (it is one server)";
            throw JetStreamSettingsException.OfBucket(_options.Bucket, [wanted], e);
        }
    }

    /// <summary>Runs the end of a transfer that the servers have; says what its failures mean.</summary>
    private async Task CarryAsync(ValueTask<ObjectMetadata> transfer, string what, CancellationToken cancellation)
    {
        try
        {
            await transfer.ConfigureAwait(false);
        }
        catch (NatsObjException e) when (e is not NatsObjNotFoundException)
        {
            throw new InvalidDataException($"A snapshot in bucket '{_options.Bucket}' is damaged: {e.Message}.", e);
        }
        catch (Exception e) when (JetStreamErrors.IsOutage(e))
        {
            _connection.ThrowIfEnded(cancellation);
            throw _connection.Unavailable(what, e);
        }
    }

    /// <summary>All subjects of the bucket, with the number of their messages.</summary>
    private async ValueTask<IDictionary<string, long>> MessagesAsync(CancellationToken cancellation)
    {
        INatsJSStream stream = await _connection.AskAsync(
            token => _connection.Context.GetStreamAsync(
                _options.Stream, new StreamInfoRequest { SubjectsFilter = $"$O.{_options.Bucket}.>" }, token),
            "list",
            cancellation).ConfigureAwait(false);
        return stream.Info.State.Subjects ?? new Dictionary<string, long>();
    }

    /// <summary>All objects that have a name. The client's own list never ends when there are none.</summary>
    private async ValueTask<List<ObjectMetadata>> ObjectsAsync(IDictionary<string, long> messages, CancellationToken cancellation)
    {
        string names = NameSubject(string.Empty);
        List<ObjectMetadata> all = [];
        foreach (string subject in messages.Keys.Where(one => one.StartsWith(names, StringComparison.Ordinal)))
        {
            string encoded = subject[names.Length..];
            string? name = Base64Url.IsValid(encoded) ? Encoding.UTF8.GetString(Base64Url.DecodeFromChars(encoded)) : null;
            if (name is not null && await FindAsync(name, cancellation).ConfigureAwait(false) is { } found)
            {
                all.Add(found);
            }
        }

        return all;
    }

    private ValueTask<ObjectMetadata?> FindAsync(string name, CancellationToken cancellation) => _connection.AskAsync(
        async token =>
        {
            try
            {
                return await _store.GetInfoAsync(name, cancellationToken: token).ConfigureAwait(false);
            }
            catch (NatsObjNotFoundException)
            {
                return null;
            }
        },
        "list",
        cancellation);

    /// <summary>An empty part, which the client does not count, ends an object whose length is a multiple of the parts'.</summary>
    private bool IsWhole(ObjectMetadata found, IDictionary<string, long> messages)
    {
        bool hasEmptyPart = found.Options?.MaxChunkSize is > 0 and var most && found.Size % (ulong)most == 0;
        return messages.TryGetValue(PartsSubject(found), out long parts) && parts == found.Chunks + (hasEmptyPart ? 1 : 0);
    }

    private static ReplicaSnapshot? Read(ObjectMetadata found) => found.Metadata is { } keys
        && long.TryParse(keys.GetValueOrDefault(PositionKey), CultureInfo.InvariantCulture, out long position)
        && long.TryParse(keys.GetValueOrDefault(TransactionKey), CultureInfo.InvariantCulture, out long transaction)
        && keys.GetValueOrDefault(StateKey) is { } state && Base64.IsValid(state)
        && found.Name == NameOf(position)
            ? new ReplicaSnapshot(position, transaction, Convert.FromBase64String(state))
            : null;

    /// <summary>Removes what was stored of a snapshot that failed; what cannot be removed now is swept later.</summary>
    private async ValueTask ForgetAsync(ObjectMetadata made)
    {
        if (made.Nuid is null)
        {
            return;
        }

        try
        {
            // The name may be there, although its answer was lost.
            await PurgeAsync(PartsSubject(made), CancellationToken.None).ConfigureAwait(false);
            if ((await FindAsync(made.Name, CancellationToken.None).ConfigureAwait(false))?.Nuid == made.Nuid)
            {
                await PurgeAsync(NameSubject(made.Name), CancellationToken.None).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is LogUnavailableException or ObjectDisposedException)
        {
            // Without all of its parts it is not listed.
        }
    }

    /// <summary>
    /// Removes parts without a name, which a killed process left. Young ones may be on their way from another node.
    /// </summary>
    private async ValueTask SweepAsync()
    {
        try
        {
            IDictionary<string, long> messages = await MessagesAsync(CancellationToken.None).ConfigureAwait(false);
            List<ObjectMetadata> objects = await ObjectsAsync(messages, CancellationToken.None).ConfigureAwait(false);
            HashSet<string> named = [.. objects.Select(PartsSubject)];
            DateTimeOffset now = objects.Select(static one => one.MTime).DefaultIfEmpty().Max();
            string parts = $"$O.{_options.Bucket}.C.";
            foreach (string left in messages.Keys.Where(one => one.StartsWith(parts, StringComparison.Ordinal) && !named.Contains(one)))
            {
                if (now - await LastTimeAsync(left, CancellationToken.None).ConfigureAwait(false) >= _options.AbandonedAfter)
                {
                    await PurgeAsync(left, CancellationToken.None).ConfigureAwait(false);
                }
            }
        }
        catch (Exception e) when (e is LogUnavailableException or ObjectDisposedException)
        {
            // The snapshot is there; the next one sweeps.
        }
    }

    /// <summary>When the last message of a subject was stored, by the clock of the server.</summary>
    private ValueTask<DateTimeOffset> LastTimeAsync(string subject, CancellationToken cancellation) => _connection.AskAsync(
        async token =>
        {
            INatsJSStream stream = await _connection.Context.GetStreamAsync(_options.Stream, cancellationToken: token)
                .ConfigureAwait(false);
            StreamMsgGetResponse last = await stream.GetAsync(new StreamMsgGetRequest { LastBySubj = subject }, token)
                .ConfigureAwait(false);
            return last.Message.Time;
        },
        "sweep",
        cancellation);

    private async ValueTask PurgeAsync(string subject, CancellationToken cancellation) => await _connection.AskAsync(
        token => _connection.Context.PurgeStreamAsync(_options.Stream, new StreamPurgeRequest { Filter = subject }, token),
        "delete",
        cancellation).ConfigureAwait(false);

    /// <summary>The client writes the names in subjects with the padding that <see cref="Base64Url"/> leaves out.</summary>
    private string NameSubject(string name) =>
        $"$O.{_options.Bucket}.M.{Convert.ToBase64String(Encoding.UTF8.GetBytes(name)).Replace('+', '-').Replace('/', '_')}";

    private string PartsSubject(ObjectMetadata found) => $"$O.{_options.Bucket}.C.{found.Nuid}";

    private static string NameOf(ReplicaSnapshot snapshot) => NameOf(snapshot.Position);

    private static string NameOf(long position) => position.ToString("D16", CultureInfo.InvariantCulture);
}
