using System.Buffers;
using Microsoft.Extensions.Options;
using Orleans;
using Orleans.Configuration;
using Orleans.Runtime;
using Orleans.Serialization.Serializers;
using Orleans.Storage;

namespace Voron.Storage.Orleans;

/// <summary>
/// States of grains in a tree, by service, name of the state and grain. A write or clearing compares the ETag in the transaction that
/// changes the state, and completes when that is on the device; those of many grains share transactions.
/// </summary>
public sealed class VoronGrainStorage : IGrainStorage
{
    private readonly string _name;
    private readonly string _treeName;
    private readonly string _serviceId;
    private readonly bool _deletesOnClear;
    private readonly StorageEnvironment _environment;
    private readonly IGrainStorageSerializer _serializer;
    private readonly IActivatorProvider _activators;

    /// <summary>Makes a grain storage; a silo does so by <see cref="VoronOrleans.AddVoronGrainStorage"/>.</summary>
    /// <param name="name">The name of the grain storage.</param>
    /// <param name="options">Its settings.</param>
    /// <param name="environment">An environment that is open for writing.</param>
    /// <param name="serializer">What turns states into bytes unless the settings name another one.</param>
    /// <param name="activators">Makes the state of a grain that has none.</param>
    /// <param name="cluster">The service to which the states belong.</param>
    public VoronGrainStorage(
        string name,
        VoronGrainStorageOptions options,
        StorageEnvironment environment,
        IGrainStorageSerializer serializer,
        IActivatorProvider activators,
        IOptions<ClusterOptions> cluster)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(serializer);
        ArgumentNullException.ThrowIfNull(activators);
        ArgumentNullException.ThrowIfNull(cluster);
        _name = name;
        _treeName = options.TreeName ?? "grains/" + name;
        _deletesOnClear = options.DeleteStateOnClear;
        _serviceId = cluster.Value.ServiceId;
        _environment = environment;
        _serializer = options.GrainStorageSerializer ?? serializer;
        _activators = activators;
    }

    /// <inheritdoc/>
    public Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        ArgumentNullException.ThrowIfNull(grainState);
        byte[] key = KeyOf(stateName, grainId);
        using ReadTransaction transaction = _environment.BeginRead();
        if (transaction.TryOpenTree(_treeName, out ReadTree tree) && tree.TryGet(key, out ReadOnlySpan<byte> stored))
        {
            GrainRecord record = GrainRecord.Read(stored);
            grainState.State = (record.HasState ? _serializer.Deserialize<T>(new BinaryData(record.State.ToArray())) : default)
                ?? NewState<T>();
            grainState.RecordExists = record.HasState;
            grainState.ETag = record.ETag;
        }
        else
        {
            Forget(grainState, null);
        }

        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return ReadStateAsync(stateName, grainId, grainState);
    }

    /// <inheritdoc/>
    public Task WriteStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState) =>
        WriteStateAsync(stateName, grainId, grainState, CancellationToken.None);

    /// <inheritdoc/>
    /// <exception cref="InconsistentStateException">The stored ETag is not that of <paramref name="grainState"/>.</exception>
    public async Task WriteStateAsync<T>(
        string stateName, GrainId grainId, IGrainState<T> grainState, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(grainState);
        GrainChange change = new(_treeName, KeyOf(stateName, grainId), grainState.ETag)
        {
            State = _serializer.Serialize(grainState.State).ToMemory(),
        };
        await ApplyAsync(change, stateName, grainId, cancellationToken).ConfigureAwait(false);
        grainState.ETag = change.NewETag;
        grainState.RecordExists = true;
    }

    /// <inheritdoc/>
    public Task ClearStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState) =>
        ClearStateAsync(stateName, grainId, grainState, CancellationToken.None);

    /// <inheritdoc/>
    /// <exception cref="InconsistentStateException">The stored ETag is not that of <paramref name="grainState"/>.</exception>
    public async Task ClearStateAsync<T>(
        string stateName, GrainId grainId, IGrainState<T> grainState, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(grainState);
        GrainChange change = new(_treeName, KeyOf(stateName, grainId), grainState.ETag) { Deletes = _deletesOnClear };
        await ApplyAsync(change, stateName, grainId, cancellationToken).ConfigureAwait(false);
        Forget(grainState, _deletesOnClear ? null : change.NewETag);
    }

    private async Task ApplyAsync(GrainChange change, string stateName, GrainId grainId, CancellationToken cancellationToken)
    {
        (bool isApplied, string? stored) = await _environment.WriteAsync(
            static (transaction, change) => change.Apply(transaction), change, cancellationToken).ConfigureAwait(false);
        if (!isApplied)
        {
            throw new InconsistentStateException(
                $"Grain storage '{_name}' has another ETag of the state '{stateName}' of {grainId} than this activation: another one has "
                + "changed it. Read the state again.",
                stored,
                change.ETag);
        }
    }

    private void Forget<T>(IGrainState<T> grainState, string? eTag)
    {
        grainState.State = NewState<T>();
        grainState.RecordExists = false;
        grainState.ETag = eTag;
    }

    private T NewState<T>() => _activators.GetActivator<T>().Create();

    private byte[] KeyOf(string stateName, GrainId grainId)
    {
        ArgumentNullException.ThrowIfNull(stateName);
        ArrayBufferWriter<byte> key = new();
        KeyParts.Add(key, _serviceId, KeyParts.ServiceBytes);
        KeyParts.Add(key, stateName, KeyParts.NameBytes);
        KeyParts.Add(key, grainId.Type.AsSpan(), KeyParts.GrainBytes / 3);
        KeyParts.Add(key, grainId.Key.AsSpan(), KeyParts.GrainBytes / 3 * 2);
        return key.WrittenSpan.ToArray();
    }
}
