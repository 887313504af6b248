using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// One reader's place. Begin writes only here: occupy, announce the visible snapshot, check that it is still the visible one (else
/// again). Together with the fence on the reclaiming side this means: either the reader sees the newer snapshot, or the one who reclaims
/// sees the reader.
/// </summary>
internal sealed class ReaderSlot(PageSource source, TimeProvider time) : SnapshotScope(source)
{
    private int _occupied;
    private long _begunAt;
    private long _warnedGeneration;

#pragma warning disable CS0169, IDE0051 // Padding: two slots must not share a cache line.
    private readonly Padding _padding;
#pragma warning restore CS0169, IDE0051

    /// <summary>True while a checkpoint, not a user, holds the slot.</summary>
    internal bool IsCheckpoint { get; private set; }

    internal TimeSpan Age => time.GetElapsedTime(Volatile.Read(ref _begunAt));

    /// <summary>True once for each reader. One caller at a time.</summary>
    internal bool TryWarn()
    {
        long generation = Generation;
        bool isFirst = _warnedGeneration != generation;
        _warnedGeneration = generation;
        return isFirst;
    }

    internal bool TryOccupy() => _occupied == 0 && Interlocked.CompareExchange(ref _occupied, 1, 0) == 0;

    /// <summary>Registers the slot, occupied before, at the newest visible snapshot.</summary>
    internal void Register(bool isCheckpoint = false)
    {
        IsCheckpoint = isCheckpoint;
        VersionTable versions = Source.Versions;
        _begunAt = time.GetTimestamp();
        long snapshot;
        do
        {
            snapshot = versions.Visible;
            versions.Turns?.Pass(TurnPoint.Register);
            AnnounceSnapshot(snapshot);
            versions.Turns?.Pass(TurnPoint.Register);
        }
        while (versions.Visible != snapshot && !Sabotage.Is(SabotageRule.RegisterWithoutSecondLook));
    }

    internal void Release(long generation)
    {
        if (EndGeneration(generation))
        {
            Source.Versions.Turns?.Pass(TurnPoint.Register);
            SetSnapshot(Unused);
            Volatile.Write(ref _occupied, 0);
        }
    }

    [System.Runtime.CompilerServices.InlineArray(16)]
    private struct Padding
    {
        private long _element;
    }
}
