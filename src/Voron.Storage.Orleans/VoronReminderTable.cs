using System.Buffers;
using System.Buffers.Binary;
using Microsoft.Extensions.Options;
using Orleans;
using Orleans.Configuration;
using Orleans.Runtime;

namespace Voron.Storage.Orleans;

/// <summary>
/// Reminders in a tree, by service, hash of the grain, grain and name, so that the reminders of a silo are one or two ranges. Changes are
/// on the device when they complete.
/// </summary>
public sealed class VoronReminderTable : IReminderTable
{
    private readonly StorageEnvironment _environment;
    private readonly string _treeName;
    private readonly byte[] _service;

    /// <summary>Makes a reminder table; a silo does so by <see cref="VoronOrleans.UseVoronReminderService"/>.</summary>
    /// <param name="options">Its settings.</param>
    /// <param name="environment">An environment that is open for writing.</param>
    /// <param name="cluster">The service to which the reminders belong.</param>
    public VoronReminderTable(VoronReminderOptions options, StorageEnvironment environment, IOptions<ClusterOptions> cluster)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(options.TreeName, nameof(options));
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(cluster);
        _environment = environment;
        _treeName = options.TreeName;
        ArrayBufferWriter<byte> service = new();
        KeyParts.Add(service, cluster.Value.ServiceId, KeyParts.ServiceBytes);
        _service = service.WrittenSpan.ToArray();
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task<ReminderTableData> ReadRows(GrainId grainId)
    {
        List<ReminderEntry> found = [];
        using ReadTransaction transaction = _environment.BeginRead();
        if (transaction.TryOpenTree(_treeName, out ReadTree tree))
        {
            foreach (TreeEntry row in tree.Prefix(KeyOf(grainId, null)))
            {
                found.Add(ReminderRow.Read(row.Value));
            }
        }

        return Task.FromResult(new ReminderTableData(found));
    }

    /// <inheritdoc/>
    public Task<ReminderTableData> ReadRows(uint begin, uint end)
    {
        List<ReminderEntry> found = [];
        using ReadTransaction transaction = _environment.BeginRead();
        if (transaction.TryOpenTree(_treeName, out ReadTree tree))
        {
            if (begin < end)
            {
                AddRows(found, tree, begin + 1, end);
            }
            else
            {
                AddRows(found, tree, 0, end);
                if (begin < uint.MaxValue)
                {
                    AddRows(found, tree, begin + 1, uint.MaxValue);
                }
            }
        }

        return Task.FromResult(new ReminderTableData(found));
    }

    /// <inheritdoc/>
    public Task<ReminderEntry?> ReadRow(GrainId grainId, string reminderName)
    {
        ArgumentNullException.ThrowIfNull(reminderName);
        using ReadTransaction transaction = _environment.BeginRead();
        return Task.FromResult(
            transaction.TryOpenTree(_treeName, out ReadTree tree) && tree.TryGet(KeyOf(grainId, reminderName), out ReadOnlySpan<byte> row)
                ? ReminderRow.Read(row)
                : null);
    }

    /// <inheritdoc/>
    public Task<string?> UpsertRow(ReminderEntry entry) => UpsertRow(entry, CancellationToken.None);

    /// <inheritdoc/>
    public async Task<string?> UpsertRow(ReminderEntry entry, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(entry);
        ArgumentNullException.ThrowIfNull(entry.ReminderName, nameof(entry));
        Guid eTag = Guid.NewGuid();
        await _environment.WriteAsync(
            static (transaction, put) => transaction.OpenTree(put._treeName).Put(put.key, put.row),
            (_treeName, key: KeyOf(entry.GrainId, entry.ReminderName), row: ReminderRow.BytesOf(entry, eTag)),
            cancellationToken).ConfigureAwait(false);
        return GrainRecord.TextOf(eTag);
    }

    /// <inheritdoc/>
    public Task<bool> RemoveRow(GrainId grainId, string reminderName, string eTag) =>
        RemoveRow(grainId, reminderName, eTag, CancellationToken.None);

    /// <inheritdoc/>
    public async Task<bool> RemoveRow(GrainId grainId, string reminderName, string eTag, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(reminderName);
        return await _environment.WriteAsync(
            static (transaction, row) =>
            {
                Tree tree = transaction.OpenTree(row._treeName);
                return tree.TryGet(row.key, out ReadOnlySpan<byte> stored)
                    && ReminderRow.Read(stored).ETag == row.eTag
                    && tree.Delete(row.key);
            },
            (_treeName, key: KeyOf(grainId, reminderName), eTag),
            cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task TestOnlyClearTable() => await _environment.WriteAsync(
        static (transaction, table) =>
        {
            // Behind every hash, and behind the first byte of every type: no text in UTF-8 begins with 255.
            byte[] end = [.. table._service, 255, 255, 255, 255, 255];
            transaction.OpenTree(table._treeName).DeleteRange(table._service, end);
        },
        this).ConfigureAwait(false);

    private void AddRows(List<ReminderEntry> found, ReadTree tree, uint first, uint last)
    {
        byte[] from = new byte[_service.Length + sizeof(uint)];
        _service.CopyTo(from, 0);
        BinaryPrimitives.WriteUInt32BigEndian(from.AsSpan(_service.Length), first);
        foreach (TreeEntry row in tree.From(from))
        {
            if (!row.Key.StartsWith(_service) || BinaryPrimitives.ReadUInt32BigEndian(row.Key[_service.Length..]) > last)
            {
                break;
            }

            found.Add(ReminderRow.Read(row.Value));
        }
    }

    /// <summary>The key of a reminder; without a name, what the keys of all reminders of a grain begin with.</summary>
    private byte[] KeyOf(GrainId grainId, string? reminderName)
    {
        ArrayBufferWriter<byte> key = new();
        key.Write(_service);
        BinaryPrimitives.WriteUInt32BigEndian(key.GetSpan(sizeof(uint)), grainId.GetUniformHashCode());
        key.Advance(sizeof(uint));
        KeyParts.Add(key, grainId.Type.AsSpan(), KeyParts.GrainBytes / 3);
        KeyParts.Add(key, grainId.Key.AsSpan(), KeyParts.GrainBytes / 3 * 2);
        if (reminderName is not null)
        {
            KeyParts.Add(key, reminderName, KeyParts.NameBytes);
        }

        return key.WrittenSpan.ToArray();
    }
}
