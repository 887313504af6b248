using Voron.Storage.Threads;

namespace Voron.Storage.IO;

/// <summary>Room on the disk that the database has and does not need at once: what finds the disk full gets it.</summary>
internal sealed class SpareRoom
{
    private readonly Gate _gate = new();
    private readonly List<Func<bool>> _owners = [];

    /// <summary>Adds an owner of such room: a call that gives up what it can, and returns whether that was anything.</summary>
    internal void Add(Func<bool> giveUp)
    {
        using (_gate.Hold())
        {
            _owners.Add(giveUp);
        }
    }

    /// <summary>Allocates the space of a file up to this length. Throws what an owner throws.</summary>
    internal IoError Allocate(IDiskFile file, long bytes)
    {
        IoError error = file.Allocate(bytes);
        return error.Kind == IoErrorKind.DiskFull && GiveUp() ? file.Allocate(bytes) : error;
    }

    private bool GiveUp()
    {
        bool hasGiven = false;
        using (_gate.Hold())
        {
            foreach (Func<bool> giveUp in _owners)
            {
                hasGiven |= giveUp();
            }
        }

        return hasGiven;
    }
}
