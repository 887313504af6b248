namespace Voron.Storage.Replication.Core;

/// <summary>
/// <c>replica.position</c> beside the data file: where the node is in the log. Two slots of 4 KiB, written in turn, so that a torn write
/// leaves the other. It is never ahead of the database, and may lag: what is read again is passed over.
/// </summary>
internal sealed class PositionFile(string folder, string name = PositionFile.Name)
{
    internal const string Name = "replica.position";
    internal const int SlotBytes = 4096;

    private readonly string _path = Path.Combine(folder, name);
    private long _sequence;

    /// <summary>The newest state; null if there is none, or both slots are damaged.</summary>
    internal LogState? Read()
    {
        _sequence = 0;
        if (!File.Exists(_path))
        {
            return null;
        }

        byte[] bytes = File.ReadAllBytes(_path);
        LogState? newest = null;
        for (int at = 0; at < bytes.Length; at += SlotBytes)
        {
            LogState? state = LogStateBytes.TryRead(bytes.AsSpan(at), out long sequence);
            if (state is not null && sequence > _sequence)
            {
                newest = state;
                _sequence = sequence;
            }
        }

        return newest;
    }

    /// <summary>Writes a state whose transactions are durable; durable on return.</summary>
    internal void Write(LogState state)
    {
        long sequence = _sequence + 1;
        using FileStream file = new(_path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        file.Position = sequence % 2 * SlotBytes;
        file.Write(LogStateBytes.Write(state, sequence));
        file.Flush(flushToDisk: true);
        _sequence = sequence;
    }
}
