using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>The real engine as the crash tests see it: everything on the calling thread, checkpoints only when asked for.</summary>
internal sealed class EngineSubject(
    string directory = EngineSubject.Directory, long? maxDirtyBytes = null, int placedValueBytes = EngineSubject.PlacedValueBytes,
    bool variesCommits = false, bool isCold = false)
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

    /// <summary>Spares of both kinds; the next open deletes them.</summary>
    private const int MostSpares = 4;

    public ICrashSession Open(SimDisk disk)
    {
        var options = new StorageOptions
        {
            Engine = new()
            {
                Disk = disk, Background = false, PlacedValueBytes = placedValueBytes, JournalledBytes = 0,
                ValuePieceBytes = ValuePieceBytes, FreedMarkers = 2,
                FragmentBytes = variesCommits ? FragmentBytes : null, MemoryBytes = isCold ? 0 : null,
            },
            PageSize = PageBytes, DisposeTimeout = TimeSpan.Zero, TimeProvider = FrozenTime.Instance, MaxDirtyBytes = maxDirtyBytes,
        };
        StorageEnvironment environment = StorageEnvironment.Open(directory, options);
        try
        {
            var session = new EngineSession(environment);
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
            || paths.Count(path => IsChunk(path, ".commit")) > MostChunks
            || paths.Count(path => IsChunk(path, ".pages")) > MostChunks;
        return areTooMany ? string.Join(", ", paths) : null;
    }

    private static bool IsChunk(string path, string suffix) => path.EndsWith(suffix, StringComparison.Ordinal);

    private bool IsSpare(string path) => path.StartsWith(directory + "/journal/spare-", StringComparison.Ordinal);
}
