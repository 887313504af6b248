namespace Voron.Storage;

/// <summary>One write at a time that the disk makes while the caller continues.</summary>
internal interface IWriteInFlight : IDisposable
{
    /// <summary>
    /// Starts a write as <see cref="IDiskFile.Write"/> does it. The memory stays in place, with its content, until <see cref="Wait"/> has
    /// returned; every failure is reported there.
    /// </summary>
    void Start(IDiskFile file, long offset, ReadOnlySpan<byte> source);

    /// <summary>Whether <see cref="Wait"/> would return at once; true also where the disk cannot tell.</summary>
    bool HasEnded => true;

    /// <summary>Returns when the write has ended, exactly once for each start.</summary>
    IoError Wait();
}
