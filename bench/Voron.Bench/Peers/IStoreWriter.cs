namespace Voron.Bench.Peers;

/// <summary>Writes to a store, one transaction after another, for one thread.</summary>
internal interface IStoreWriter : IDisposable
{
    void Begin();

    void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    void Delete(ReadOnlySpan<byte> key);

    /// <summary>Commits as durably as the store's kind says.</summary>
    void Commit();

    /// <summary>Waits for what is committed and not yet confirmed.</summary>
    void Finish();
}
