using Voron.Storage;

namespace Voron.Simulation.Faults;

/// <summary>What one call site is told, and how often.</summary>
/// <param name="Site">The site.</param>
/// <param name="Error">What it reports; None is a transfer that stops short and says so by its length only.</param>
/// <param name="Effect">How much of the call happens all the same.</param>
/// <param name="Times">1, or <see cref="int.MaxValue"/> for every time.</param>
internal sealed record SiteFault(CallSite Site, IoErrorKind Error, SimFaultEffect Effect, int Times)
{
    /// <summary>How often the site has failed.</summary>
    internal int Met { get; private set; }

    /// <summary>A short read, from which the engine may conclude no more than that the file is shorter than it should be.</summary>
    internal bool IsShort => Error == IoErrorKind.None;

    /// <summary>A place that cannot be read is damage there, and answered as such.</summary>
    internal bool IsUnreadable => Error == IoErrorKind.Device && Site.Operation is nameof(IDiskFile.Read) or nameof(IDiskFile.Populate);

    /// <summary>What a file holds may be concluded to be lost.</summary>
    internal bool LooksLikeDamage => IsShort || IsUnreadable;

    internal IoError Result => IsShort ? IoError.Success : new IoError(Error, 5);

    internal bool Strikes(CallSite site)
    {
        if (site != Site || Met >= Times)
        {
            return false;
        }

        Met++;
        return true;
    }

    /// <summary>Every way in which a call of this kind can fail, once and for ever.</summary>
    internal static IEnumerable<SiteFault> Of(CallSite site) =>
        from kind in Kinds(site.Operation)
        from times in (int[])[1, int.MaxValue]
        select new SiteFault(site, kind.Error, kind.Effect, times);

    public override string ToString() =>
        $"{Site.Id}: {(IsShort ? "short" : Error)}, effect {Effect}, {(Times == 1 ? "once" : "always")}";

    private static (IoErrorKind Error, SimFaultEffect Effect)[] Kinds(string operation)
    {
        const SimFaultEffect Nothing = SimFaultEffect.Nothing;
        const SimFaultEffect Half = SimFaultEffect.Half;
        const SimFaultEffect Everything = SimFaultEffect.Everything;
        (IoErrorKind Device, SimFaultEffect Effect) failed = (IoErrorKind.Device, Nothing);
        return operation switch
        {
            CallSite.Memory => [(IoErrorKind.OutOfMemory, Nothing)],
            nameof(IDiskFile.Write) =>
            [
                failed, (IoErrorKind.Device, Half), (IoErrorKind.Device, Everything), (IoErrorKind.DiskFull, Nothing),
                (IoErrorKind.DiskFull, Half),
            ],
            nameof(IDiskFile.Read) => [failed, (IoErrorKind.None, Half)],
            nameof(IDiskFile.Populate) => [failed, (IoErrorKind.Device, Everything)],
            nameof(IDiskFile.GetLength) or nameof(IDisk.ListFiles) => [failed, (IoErrorKind.OutOfMemory, Nothing)],
            nameof(IDiskFile.Map) or nameof(IDiskFile.TryLock) => [failed, (IoErrorKind.OutOfMemory, Nothing)],
            nameof(IDisk.OpenFile) => [failed, (IoErrorKind.DiskFull, Nothing), (IoErrorKind.OutOfMemory, Nothing)],
            _ => [failed, (IoErrorKind.Device, Everything), (IoErrorKind.DiskFull, Nothing)],
        };
    }
}
