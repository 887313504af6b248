using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>The real engine as the crash tests see it: everything on the calling thread, checkpoints only when asked for.</summary>
internal sealed class EngineSubject(
    string directory = EngineSubject.Directory, long? maxDirtyBytes = null, int placedValueBytes = EngineSubject.PlacedValueBytes,
    bool variesCommits = false, bool isCold = false, RowTrees? trees = null)
    : ICrashSubject
{
    internal const string Directory = "/db";

    internal const int PageBytes = 4096;

    /// <summary>Small, so that most overflow values of the workloads go straight to the data file.</summary>
    internal const int PlacedValueBytes = 5000;

    /// <summary>One page.</summary>
    internal const int ValuePieceBytes = PageBytes - 32;

    internal const string DataFile = Directory + "/data.voron";

    /// <summary>So short that transactions of a few pages leave in parts.</summary>
    private const int FragmentBytes = 6000;

    /// <summary>Of a kind: the chunk in use, and one before it that the last checkpoint, or the one before, still needs.</summary>
    private const int MostChunks = 2;

    /// <summary>Bytes for pending trees, so few that entries are merged now and then; null gives pending trees to no tree.</summary>
    private static readonly AsyncLocal<long?> Pending = new();

    /// <summary>Bytes for their lower layers; 0 for none.</summary>
    private static readonly AsyncLocal<long> Layers = new();

    /// <summary>Whether trees are write-optimized.</summary>
    private static readonly AsyncLocal<bool> Optimized = new();

    /// <summary>Spares of both kinds; the next open deletes them.</summary>
    private const int MostSpares = 4;

    internal static bool HasPendingTrees => PendingBytes is not null;

    internal static long? PendingBytes => Pending.Value;

    internal static long PendingLayerBytes => Layers.Value;

    /// <summary>Runs this with a pending tree for each tree, on this thread and on those that it starts.</summary>
    internal static T WithPendingTrees<T>(Func<T> run) => WithPending(14_000, 0, isOptimized: false, run);

    /// <summary>The same, with lower layers: the top of a pending tree has room for a page.</summary>
    internal static T WithLayers<T>(Func<T> run) => WithPending(5_000, 40_000, isOptimized: false, run);

    /// <summary>The same, with trees that are write-optimized.</summary>
    internal static T WithBlindPuts<T>(Func<T> run) => WithPending(5_000, 40_000, isOptimized: true, run);

    private static T WithPending<T>(long bytes, long layerBytes, bool isOptimized, Func<T> run)
    {
        Optimized.Value = isOptimized;
        Pending.Value = bytes;
        Layers.Value = layerBytes;
        try
        {
            return run();
        }
        finally
        {
            Pending.Value = null;
            Layers.Value = 0;
            Optimized.Value = false;
        }
    }

    public ICrashSession Open(SimDisk disk)
    {
        var options = new StorageOptions
        {
            Engine = new()
            {
                Disk = disk, Background = false, PlacedValueBytes = placedValueBytes, JournalledBytes = 0,
                PendingBytes = Pending.Value, PendingLayerBytes = Layers.Value, WriteOptimizesAll = Optimized.Value,
                ValuePieceBytes = ValuePieceBytes, FreedMarkers = 2,
                FragmentBytes = variesCommits ? FragmentBytes : null, MemoryBytes = isCold ? 0 : null,
            },
            PageSize = PageBytes, DisposeTimeout = TimeSpan.Zero, TimeProvider = FrozenTime.Instance, MaxDirtyBytes = maxDirtyBytes,
        };
        RowTrees? hidden = trees is null || trees.AreAnnounced(disk) ? null : trees;
        StorageEnvironment environment = StorageEnvironment.Open(directory, options);
        try
        {
            hidden?.RequireNone(environment);
            var session = new EngineSession(environment, trees);
            return variesCommits ? new CommitSession(environment, session) : session;
        }
        catch
        {
            // A session begins with a report, which a damaged space map refuses; the environment is open and readable all the same.
            environment.Database.Abandon();
            throw;
        }
    }

    public string? FindLitter(IReadOnlyList<string> paths)
    {
        string? stranger = paths.FirstOrDefault(path =>
            path != directory + "/data.voron" && path != directory + "/voron.lock"
            && !IsSpare(path) && !IsChunk(path, ".commit") && !IsChunk(path, ".pages"));
        if (stranger is not null)
        {
            return stranger;
        }

        bool areTooMany = paths.Count(IsSpare) > MostSpares
            || (Pending.Value is null && paths.Count(path => IsChunk(path, ".commit")) > MostChunks)
            || paths.Count(path => IsChunk(path, ".pages")) > MostChunks;
        return areTooMany ? string.Join(", ", paths) : null;
    }

    private static bool IsChunk(string path, string suffix) => path.EndsWith(suffix, StringComparison.Ordinal);

    private bool IsSpare(string path) => path.StartsWith(directory + "/journal/spare-", StringComparison.Ordinal);
}
