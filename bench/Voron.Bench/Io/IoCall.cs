namespace Voron.Bench.Io;

/// <summary>One system call that has to do with the device.</summary>
/// <param name="Seconds">When.</param>
/// <param name="Kind">What.</param>
/// <param name="Path">Which file; empty when the trace does not say.</param>
/// <param name="Offset">Where in the file.</param>
/// <param name="Bytes">How much; 0 for a sync.</param>
/// <param name="Thread">Which thread; those of the process are numbered from 0 on.</param>
/// <param name="IsThrough">A write that returns only when the device has it.</param>
internal readonly record struct IoCall(
    double Seconds, IoKind Kind, string Path, long Offset, long Bytes, int Thread = 0, bool IsThrough = false)
{
    /// <summary>Whether it returns only when the device has what it is about.</summary>
    internal bool WaitsForDevice => Kind == IoKind.Sync || IsThrough;
}
