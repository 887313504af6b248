using System.Buffers.Binary;
using Voron.CrashWriter;

namespace Voron.Simulation.Blocks;

/// <summary>All that a device was asked, in order, with what the writing process said meanwhile.</summary>
internal sealed class BlockLog
{
    private const int EntryBytes = 17;
    private readonly byte[] _content;
    private readonly List<BlockEntry> _entries = [];
    private readonly List<int> _acknowledgements = [];

    internal BlockLog(string path)
    {
        _content = File.ReadAllBytes(path);
        for (int at = 0; at < _content.Length;)
        {
            BlockEntryKind kind = (BlockEntryKind)_content[at];
            long offset = BinaryPrimitives.ReadInt64LittleEndian(_content.AsSpan(at + 1));
            int bytes = checked((int)BinaryPrimitives.ReadInt64LittleEndian(_content.AsSpan(at + 9)));
            at += EntryBytes;
            BlockEntry entry = new(kind, offset, at..(at + bytes));
            at += bytes;
            _entries.Add(entry);
            Note(entry);
        }
    }

    internal IReadOnlyList<BlockEntry> Entries => _entries;

    /// <summary>Positions right after an acknowledgement.</summary>
    internal IReadOnlyList<int> Acknowledgements => _acknowledgements;

    internal ReadOnlySpan<byte> BytesOf(BlockEntry entry) => _content.AsSpan(entry.Bytes);

    /// <summary>The last transaction acknowledged in the first entries of the log, 0 for none.</summary>
    internal long AcknowledgedAt(int position)
    {
        int last = _acknowledgements.FindLastIndex(each => each <= position);
        return last < 0 ? 0 : Message(_entries[_acknowledgements[last] - 1]).Number;
    }

    /// <summary>Whether a checkpoint was under way there.</summary>
    internal bool IsInsideCheckpoint(int position)
    {
        for (int i = position - 1; i >= 0; i--)
        {
            if (_entries[i].Kind == BlockEntryKind.Said && Message(_entries[i]).Letter is var letter and not 'A')
            {
                return letter == 'B';
            }
        }

        return false;
    }

    private void Note(BlockEntry entry)
    {
        if (entry.Kind == BlockEntryKind.Said && Message(entry).Letter == 'A')
        {
            _acknowledgements.Add(_entries.Count);
        }
    }

    private (char Letter, long Number) Message(BlockEntry entry)
    {
        ReadOnlySpan<byte> bytes = BytesOf(entry);
        return bytes.Length == CrashWriting.MessageBytes
            ? ((char)bytes[0], BinaryPrimitives.ReadInt64LittleEndian(bytes[1..]))
            : throw new InvalidDataException($"A message of {bytes.Length} bytes.");
    }
}
