using Voron.Storage;

namespace Voron.Simulation.Faults;

/// <summary>An open file of <see cref="SiteDisk"/>.</summary>
internal sealed class SiteFile(IDiskFile file, SiteWatch watch) : IDiskFile
{
    public string Path => file.Path;

    public bool IsUnbuffered => file.IsUnbuffered;

    public IoError GetLength(out long bytes)
    {
        long length = 0;
        IoError error = watch.Call(nameof(GetLength), () => file.GetLength(out length));
        bytes = length;
        return error;
    }

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        if (watch.Strike(nameof(Read)) is not { } fault)
        {
            return file.Read(offset, destination, out read);
        }

        read = 0;
        return fault.IsShort ? file.Read(offset, HalfOf(destination), out read) : fault.Result;
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        if (watch.Strike(nameof(Write)) is not { } fault)
        {
            return file.Write(offset, source);
        }

        if (fault.Effect != SimFaultEffect.Nothing)
        {
            ReadOnlySpan<byte> some = fault.Effect == SimFaultEffect.Everything ? source : source[..HalfOf(source.Length)];
            file.Write(offset, some);
        }

        return fault.Result;
    }

    public IoError WriteOut(long offset, long bytes) => watch.Call(nameof(WriteOut), () => file.WriteOut(offset, bytes));

    public IoError SyncData() => watch.Call(nameof(SyncData), file.SyncData);

    public IoError SetLength(long bytes) => watch.Call(nameof(SetLength), () => file.SetLength(bytes));

    public IoError Allocate(long bytes) => watch.Call(nameof(Allocate), () => file.Allocate(bytes));

    public IoError Punch(long offset, long bytes) => watch.Call(nameof(Punch), () => file.Punch(offset, bytes));

    public void ReadAhead(long offset, long bytes) => file.ReadAhead(offset, bytes);

    public bool IsInMemory(long offset, long bytes) => file.IsInMemory(offset, bytes);

    public IoError Populate(long offset, long bytes) => watch.Call(nameof(Populate), () => file.Populate(offset, bytes));

    public IoError Map(long bytes, out nint address)
    {
        nint at = 0;
        IoError error = watch.Call(nameof(Map), () => file.Map(bytes, out at));
        address = at;
        return error;
    }

    public IoError TryLock(bool exclusive) => watch.Call(nameof(TryLock), () => file.TryLock(exclusive));

    public void Dispose() => file.Dispose();

    /// <summary>Whole blocks where there are several, so that an unbuffered file takes the rest.</summary>
    private static int HalfOf(int bytes) => bytes >= 8192 ? bytes / 2 & ~4095 : bytes % 4096 == 0 ? 0 : bytes / 2;

    private static Span<byte> HalfOf(Span<byte> bytes) => bytes[..HalfOf(bytes.Length)];
}
