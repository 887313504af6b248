using Voron.Storage;
using Voron.Storage.IO;

namespace Voron.Simulation.Schedules;

/// <summary>
/// A write beside its caller. The device may do it at any time between start and wait; here it does one half of all writes as early as can
/// be and the other half as late as can be, by their place in the file.
/// </summary>
internal sealed class ScheduledWrite : IWriteInFlight
{
    private AlignedBuffer? _late;
    private IDiskFile? _file;
    private long _offset;
    private IoError _result;

    public void Start(IDiskFile file, long offset, ReadOnlySpan<byte> source)
    {
        if (offset / SimContent.BlockBytes % 2 == 0)
        {
            _result = file.Write(offset, source);
            return;
        }

        _file = file;
        _offset = offset;
        _late = AlignedBuffer.Allocate(source.Length);
        source.CopyTo(_late.Span);
    }

    public IoError Wait()
    {
        if (_late is { } late)
        {
            _late = null;
            _result = _file!.Write(_offset, late.Span);
            late.Dispose();
        }

        return _result;
    }

    public void Dispose() => _late?.Dispose();
}
