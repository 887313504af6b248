using System.Buffers;
using System.Text;
using Microsoft.Extensions.Caching.Distributed;

namespace Voron.Storage.Extensions.Caching;

/// <summary>
/// A cache in a tree. Reads are snapshots and never wait; a use of an entry with a sliding end is written down at most once in an
/// eighth of its time. What has expired is not seen any more, and deleted by and by.
/// </summary>
internal sealed class VoronCache(StorageEnvironment environment, VoronCacheOptions options, TimeProvider time) : IBufferDistributedCache
{
    private const int SweptAtOnce = 1_000;

    /// <summary>Refuses half a surrogate pair with an argument error: replaced, different keys would be one entry.</summary>
    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private long Now => time.GetUtcNow().UtcTicks;

    public byte[]? Get(string key) => Read(EncodedOf(key), null, out byte[]? value, out _) ? value : null;

    public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        token.ThrowIfCancellationRequested();
        byte[] encoded = EncodedOf(key);
        bool found = Read(encoded, null, out byte[]? value, out bool isMoved, notesUse: false);
        await NoteUseAsync(encoded, isMoved, token).ConfigureAwait(false);
        return found ? value : null;
    }

    public bool TryGet(string key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return Read(EncodedOf(key), destination, out _, out _);
    }

    public async ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        token.ThrowIfCancellationRequested();
        byte[] encoded = EncodedOf(key);
        bool found = Read(encoded, destination, out _, out bool isMoved, notesUse: false);
        await NoteUseAsync(encoded, isMoved, token).ConfigureAwait(false);
        return found;
    }

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(value);
        Set(key, new ReadOnlySequence<byte>(value), options);
    }

    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options)
    {
        byte[] encoded = EncodedOf(key);
        CacheEntry entry = EntryOf(options);
        Change((encoded, entry, value), static (trees, state) => trees.Set(state.encoded, state.entry, state.value));
    }

    public Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(value);
        return SetAsync(key, new ReadOnlySequence<byte>(value), options, token).AsTask();
    }

    public ValueTask SetAsync(
        string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        byte[] encoded = EncodedOf(key);
        CacheEntry entry = EntryOf(options);
        return ChangeAsync(
            (encoded, entry, value), static (trees, state) => trees.Set(state.encoded, state.entry, state.value), token);
    }

    public void Refresh(string key)
    {
        byte[] encoded = EncodedOf(key);
        NoteUse(encoded, IsMoved(encoded));
    }

    public Task RefreshAsync(string key, CancellationToken token = default)
    {
        byte[] encoded = EncodedOf(key);
        return NoteUseAsync(encoded, IsMoved(encoded), token).AsTask();
    }

    public void Remove(string key) => Change(EncodedOf(key), static (trees, encoded) => trees.Remove(encoded));

    public Task RemoveAsync(string key, CancellationToken token = default) =>
        ChangeAsync(EncodedOf(key), static (trees, encoded) => trees.Remove(encoded), token).AsTask();

    /// <summary>Deletes what has expired, in transactions short enough not to hold up writers.</summary>
    internal async Task<int> SweepAsync(CancellationToken token)
    {
        int all = 0;
        while (true)
        {
            using WriteTransaction transaction = await environment.BeginWriteAsync(token).ConfigureAwait(false);
            int swept = new CacheTrees(transaction, options.TreeName).Sweep(Now, SweptAtOnce);
            all += swept;
            if (swept > 0)
            {
                await transaction.CommitAsync(options.CommitMode, token).ConfigureAwait(false);
            }

            if (swept < SweptAtOnce)
            {
                return all;
            }
        }
    }

    private bool IsMoved(byte[] key)
    {
        _ = TryLook(key, null, wantsValue: false, out _, out bool isMoved);
        return isMoved;
    }

    private bool Read(byte[] key, IBufferWriter<byte>? destination, out byte[]? value, out bool isMoved, bool notesUse = true)
    {
        bool found = TryLook(key, destination, wantsValue: true, out value, out isMoved);
        if (notesUse)
        {
            NoteUse(key, isMoved);
        }

        return found;
    }

    private bool TryLook(byte[] key, IBufferWriter<byte>? destination, bool wantsValue, out byte[]? value, out bool isMoved)
    {
        value = null;
        isMoved = false;
        using ReadTransaction transaction = environment.BeginRead();
        if (!transaction.TryOpenTree(options.TreeName, out ReadTree entries) || !entries.TryGet(key, out ReadOnlySpan<byte> stored))
        {
            return false;
        }

        long now = Now;
        CacheEntry entry = CacheEntry.Read(stored);
        if (entry.Expires <= now)
        {
            return false;
        }

        isMoved = entry.IsMovedBy(now);
        if (wantsValue && destination is not null)
        {
            destination.Write(stored[CacheEntry.SizeBytes..]);
        }
        else if (wantsValue)
        {
            value = stored[CacheEntry.SizeBytes..].ToArray();
        }

        return true;
    }

    private void NoteUse(byte[] key, bool isMoved)
    {
        if (isMoved)
        {
            Change((key, Now), static (trees, use) => trees.Use(use.key, use.Now));
        }
    }

    private ValueTask NoteUseAsync(byte[] key, bool isMoved, CancellationToken token) => isMoved
        ? ChangeAsync((key, Now), static (trees, use) => trees.Use(use.key, use.Now), token)
        : ValueTask.CompletedTask;

    private void Change<T>(T state, CacheChange<T> change)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        change(new CacheTrees(transaction, options.TreeName), state);
        transaction.Commit(options.CommitMode);
    }

    private async ValueTask ChangeAsync<T>(T state, CacheChange<T> change, CancellationToken token)
    {
        using WriteTransaction transaction = await environment.BeginWriteAsync(token).ConfigureAwait(false);
        change(new CacheTrees(transaction, options.TreeName), state);
        await transaction.CommitAsync(options.CommitMode, token).ConfigureAwait(false);
    }

    private byte[] EncodedOf(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        byte[] encoded = StrictUtf8.GetBytes(key);
        int most = environment.Limits.MaxKeyBytes - CacheTrees.ExpiryBytes;
        return encoded.Length <= most
            ? encoded
            : throw new ArgumentException($"The key has {encoded.Length} bytes; keys of the cache have at most {most}.", nameof(key));
    }

    private CacheEntry EntryOf(DistributedCacheEntryOptions rule)
    {
        ArgumentNullException.ThrowIfNull(rule);
        long now = Now;
        long absolute = CacheEntry.Never;
        if (rule.AbsoluteExpirationRelativeToNow is { } span)
        {
            absolute = span.Ticks > CacheEntry.Never - now ? CacheEntry.Never : now + span.Ticks;
        }
        else if (rule.AbsoluteExpiration is { } end)
        {
            absolute = end.UtcTicks;
        }

        return absolute > now
            ? CacheEntry.Of(now, absolute, rule.SlidingExpiration?.Ticks ?? 0)
            : throw new ArgumentOutOfRangeException(nameof(rule), rule.AbsoluteExpiration, "The absolute expiration lies in the past.");
    }
}
