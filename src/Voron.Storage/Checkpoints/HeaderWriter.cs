using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Writes header slots, one at a time and each over the older one, and records whether the data file is at rest. While it is, every byte
/// ever written to it is on the device, so the next open may trust the page cache however this process ends. Before anything but a slot is
/// written to the file, a slot must say that it is no longer at rest.
/// </summary>
internal sealed class HeaderWriter
{
    private readonly DataFile _file;
    private readonly Gate _gate;

    /// <summary>The newest slot on disk.</summary>
    private HeaderSlot _newest;

    /// <summary>Whether large values may be written at any time; then the file is at rest only when it is closed.</summary>
    private volatile bool _isPlacing;

    /// <summary>What the next slot says that the database uses.</summary>
    private FormatFeatures _features;

    /// <summary>Whether a checkpoint began to write and failed: what it wrote may not be on the device.</summary>
    private bool _isUnsure;

    /// <param name="file">The data file.</param>
    /// <param name="newest">The newest slot in it.</param>
    internal HeaderWriter(DataFile file, in HeaderSlot newest)
    {
        _file = file;
        _gate = new Gate();
        _newest = newest;
        _features = newest.Features;
    }

    /// <summary>What the newest slot says that the database uses.</summary>
    internal FormatFeatures Features => _features;

    /// <summary>
    /// Records this state as the one on disk; durable on return. The caller has synced what it wrote to the file, and calls <see
    /// cref="BeginWriting"/> before it writes again.
    /// </summary>
    internal void Write(CheckpointBase onDisk)
    {
        using (_gate.Hold())
        {
            if (_isUnsure)
            {
                // For pages of a checkpoint that failed: the next one writes and syncs them again, unless they were freed meanwhile. A slot
                // that says "at rest" must be true of those as well.
                _file.Sync();
                _isUnsure = false;
            }

            Write(onDisk.ToSlot(), isAtRest: !_isPlacing);
        }
    }

    /// <summary>As <see cref="Write(CheckpointBase)"/>, when no value will be placed any more.</summary>
    internal void WriteLast(CheckpointBase onDisk)
    {
        using (_gate.Hold())
        {
            if (_newest.IsAtRest == 0)
            {
                // Values of transactions that were rolled back, and pages of a checkpoint that failed, may never have been synced.
                _file.Sync();
            }

            Write(onDisk.ToSlot(), isAtRest: true);
        }
    }

    /// <summary>Returns when the file may be written to, until the next slot.</summary>
    internal void BeginWriting()
    {
        using (_gate.Hold())
        {
            _isUnsure |= _newest.IsAtRest == 0 && !_isPlacing;
            LeaveRest();
        }
    }

    /// <summary>Returns when large values may be written to the file at any time.</summary>
    internal void BeginPlacing()
    {
        if (_isPlacing)
        {
            return;
        }

        using (_gate.Hold())
        {
            LeaveRest();
            _isPlacing = true;
        }
    }

    /// <summary>
    /// Returns when a slot says that the database uses a feature, or, in replay, notes it for the next slot: what is replayed was announced
    /// before its record was written, but that slot may be damaged.
    /// </summary>
    internal void Use(FormatFeatures feature, bool isReplay)
    {
        using (_gate.Hold())
        {
            _features |= feature;
            if (!isReplay && !_newest.Features.HasFlag(feature))
            {
                Write(_newest, isAtRest: _newest.IsAtRest != 0);
            }
        }
    }

    private void LeaveRest()
    {
        if (_newest.IsAtRest != 0)
        {
            Write(_newest, isAtRest: false);
        }
    }

    private void Write(HeaderSlot slot, bool isAtRest)
    {
        slot.Generation = _newest.Generation + 1;
        slot.SlotNumber = 1 - _newest.SlotNumber;
        slot.IsAtRest = isAtRest ? 1u : 0u;
        slot.Features = _features;
        HeaderSlots.Write(_file, slot);

        _file.Sync();
        _newest = slot;
    }
}
