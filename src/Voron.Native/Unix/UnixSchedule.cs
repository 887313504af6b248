namespace Voron.Native.Unix;

/// <summary>How the system shares the processors out to threads; see <see cref="NativeThread"/>.</summary>
internal static unsafe class UnixSchedule
{
    /// <summary>The longest that Linux gives; the usual one is a few milliseconds.</summary>
    internal const ulong LongestSliceNanoseconds = 100_000_000;

    /// <summary>The nice value with which a thread gets about a tenth of the share of an ordinary one.</summary>
    internal const int NiceOfTenth = 10;

    /// <summary>The calling thread.</summary>
    private const nint This = 0;

    /// <summary>Asks for the longest slice and for a nice value that is not below this one.</summary>
    internal static NativeResult Ask(int leastNice)
    {
        NativeResult got = Read(out ScheduleAttributes attributes);
        if (got.Failed || attributes.Policy != ScheduleAttributes.Ordinary)
        {
            return got;
        }

        attributes.Runtime = LongestSliceNanoseconds;
        attributes.Nice = Math.Max(attributes.Nice, leastNice);
        return LibC.SchedSetAttr(CallNumbers.Here.SetSchedule, This, &attributes, 0) == 0 ? NativeResult.Success : NativeResult.Last();
    }

    /// <summary>What holds for the calling thread.</summary>
    internal static NativeResult Read(out ScheduleAttributes attributes)
    {
        ScheduleAttributes read = default;
        nint code = LibC.SchedGetAttr(CallNumbers.Here.GetSchedule, This, &read, sizeof(ScheduleAttributes), 0);
        attributes = read;
        return code == 0 ? NativeResult.Success : NativeResult.Last();
    }
}
