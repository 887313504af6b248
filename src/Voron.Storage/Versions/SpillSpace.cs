// Unsafe fence. Bounds: as in SpillFile.cs.
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// The spill files of an environment: those for what exceeds the memory of page versions, and one for each lower layer of a pending tree.
/// Guarded by the gate of the version table. Files leave as soon as nothing in them is used.
/// </summary>
/// <param name="files">Creates files; null if there can be none.</param>
/// <param name="firstBytes">Length of the first file for what exceeds the memory.</param>
internal sealed unsafe class SpillSpace(SpillFiles? files, long firstBytes) : IDisposable
{
    private const long LargestBytes = 256L << 20;

    private readonly List<SpillFile> _spills = [];
    private readonly List<SpillFile> _layers = [];
    private long _nextBytes = Math.Min(firstBytes, LargestBytes);

    /// <summary>The file that gets the blocks of the layer that is being made; null if there is none.</summary>
    private SpillFile? _layer;

    /// <summary>Length of all files in bytes.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Whether there are files for what exceeds the memory.</summary>
    internal bool IsAny => _spills.Count > 0;

    /// <summary>Whether a layer is being made.</summary>
    internal bool TakesLayer => _layer is not null;

    /// <summary>As of <see cref="BlockPool.CanServe"/>.</summary>
    internal bool CanServe(int index, int other)
    {
        bool canServe = false;
        for (int i = 0; i < _spills.Count && !canServe; i++)
        {
            canServe = _spills[i].CanServe(index, other);
        }

        return canServe;
    }

    /// <summary>Whether the newest file has room for this many bytes, in any sizes.</summary>
    internal bool HasRoom(long bytes) => _spills.Count > 0 && _spills[^1].Room >= bytes;

    internal byte* TryRentBlock(int index)
    {
        byte* block = null;
        for (int i = _spills.Count - 1; i >= 0 && block == null; i--)
        {
            block = _spills[i].TryRentBlock(index);
        }

        return block;
    }

    /// <summary>Returns a run of zeros.</summary>
    internal byte* RentRun(long bytes)
    {
        byte* run = null;
        for (int i = _spills.Count - 1; i >= 0 && run == null; i--)
        {
            run = _spills[i].TryRentRun(bytes);
        }

        if (run == null)
        {
            Add(bytes);
            run = _spills[^1].TryRentRun(bytes);
        }

        return run;
    }

    /// <summary>Adds a file that has room for this many bytes at least.</summary>
    internal void Add(long bytes)
    {
        const long GranuleBytes = 64 << 10;
        long needed = (bytes + GranuleBytes - 1) & -GranuleBytes;
        SpillFile spill = files!.Make(Math.Max(needed, _nextBytes), needed);
        _spills.Add(spill);
        Bytes += spill.Bytes;
        _nextBytes = Math.Min(_nextBytes * 2, LargestBytes);
    }

    /// <summary>Takes a block back; false if it is in none of the files.</summary>
    /// <param name="block">The block.</param>
    /// <param name="index">Its class.</param>
    /// <param name="isOfLayer">Whether it is in the file of a layer.</param>
    internal bool TryReturnBlock(byte* block, int index, out bool isOfLayer)
    {
        isOfLayer = false;
        if (Find(_spills, block) is { } spill)
        {
            spill.ReturnBlock(block, index);
            return true;
        }

        if (Find(_layers, block) is { } layer)
        {
            isOfLayer = true;
            layer.ReturnBlockUntouched(index);
            return true;
        }

        return false;
    }

    /// <summary>Takes a run back; false if it is in none of the files.</summary>
    internal bool TryReturnRun(byte* run, long bytes)
    {
        SpillFile? spill = Find(_spills, run);
        spill?.ReturnRun(run, bytes);
        return spill is not null;
    }

    /// <summary>
    /// Makes a file of this length, whose blocks <see cref="TryRentFromLayer"/> returns until <see cref="EndLayer"/>; false if there can be
    /// none.
    /// </summary>
    internal bool TryBeginLayer(long bytes)
    {
        try
        {
            _layer = files?.Make(bytes, neededBytes: null);
        }
        catch (StorageException)
        {
            // The disk has no room, or refuses. A layer is there to save writes; without one, what is pending is merged.
            return false;
        }

        if (_layer is not null)
        {
            _layers.Add(_layer);
            Bytes += _layer.Bytes;
        }

        return TakesLayer;
    }

    /// <summary>Ends the layer that is being made.</summary>
    /// <param name="filledBy">The transaction that makes it. Once it is published, nothing in the file changes any more.</param>
    internal void EndLayer(TransactionId filledBy)
    {
        _layer!.FilledBy = filledBy;
        _layer = null;
    }

    /// <summary>Whether an address is in the file of a layer.</summary>
    internal bool HasInLayer(byte* address) => FindLayer(address) is not null;

    /// <summary>Returns the file of a layer that an address is in.</summary>
    internal SpillFile? FindLayer(byte* address) => _layers.Count > 0 ? Find(_layers, address) : null;

    /// <summary>Returns a block in the file of the layer that is being made; null if it has no room.</summary>
    internal byte* TryRentFromLayer(int index) => _layer!.TryRentBlock(index);

    /// <summary>Returns the files that are in use.</summary>
    internal SpillFile[] Used() => [.. _spills.Concat(_layers).Where(static spill => !spill.IsUnused)];

    /// <summary>Hands over the files that are not in use any more; the caller disposes them outside the gate.</summary>
    internal SpillFile[] TakeUnused()
    {
        SpillFile[] unused = [.. _spills.Concat(_layers).Where(spill => spill.IsUnused && spill != _layer)];
        _spills.RemoveAll(unused.Contains);
        _layers.RemoveAll(unused.Contains);
        Bytes -= unused.Sum(static spill => spill.Bytes);
        return unused;
    }

    public void Dispose()
    {
        _spills.ForEach(static spill => spill.Dispose());
        _layers.ForEach(static layer => layer.Dispose());
        _spills.Clear();
        _layers.Clear();
    }

    private static SpillFile? Find(List<SpillFile> files, byte* address)
    {
        foreach (SpillFile file in files)
        {
            if (file.Holds(address))
            {
                return file;
            }
        }

        return null;
    }
}
