namespace Voron.Storage;

/// <summary>For disks that do nothing beside the caller: the write is done when it is started.</summary>
internal sealed class WriteAtOnce : IWriteInFlight
{
    private IoError _result;

    public void Start(IDiskFile file, long offset, ReadOnlySpan<byte> source) => _result = file.Write(offset, source);

    public IoError Wait() => _result;

    public void Dispose()
    {
    }
}
