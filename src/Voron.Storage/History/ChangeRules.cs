using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage.History;

/// <summary>A filter as bytes, which is asked about redo before anything is made of it.</summary>
internal sealed class ChangeRules
{
    private readonly List<byte[]>? _trees;
    private readonly byte[] _prefix;

    /// <summary>The first key above all that have the prefix; null if there is none.</summary>
    private readonly byte[]? _prefixEnd;

    internal ChangeRules(ChangeFilter? filter)
    {
        _trees = filter?.Trees?.Select(Encode).ToList();
        _prefix = filter?.Prefix.ToArray() ?? [];
        _prefixEnd = EndOf(_prefix);
        IncludesEmpty = filter?.IncludeEmpty ?? false;
    }

    internal bool IncludesEmpty { get; }

    internal bool PassesTree(ReadOnlySpan<byte> name)
    {
        if (InternalTrees.Contains(name))
        {
            return false;
        }

        if (_trees is null)
        {
            return true;
        }

        foreach (byte[] tree in _trees)
        {
            if (name.SequenceEqual(tree))
            {
                return true;
            }
        }

        return false;
    }

    internal bool PassesKey(ReadOnlySpan<byte> key) => key.StartsWith(_prefix);

    /// <summary>Cuts a range to the prefix; false if nothing is left of it.</summary>
    internal bool TryCut(ref ReadOnlyMemory<byte> from, ref ReadOnlyMemory<byte> to)
    {
        if (_prefix.Length > 0)
        {
            from = from.Span.SequenceCompareTo(_prefix) < 0 ? _prefix : from;
            to = _prefixEnd is not null && to.Span.SequenceCompareTo(_prefixEnd) > 0 ? _prefixEnd : to;
        }

        return from.Span.SequenceCompareTo(to.Span) < 0;
    }

    private static byte[] Encode(string name)
    {
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TreeName.Encode(name, bytes).ToArray();
    }

    private static byte[]? EndOf(byte[] prefix)
    {
        int last = prefix.AsSpan().LastIndexOfAnyExcept((byte)0xFF);
        if (last < 0)
        {
            return null;
        }

        byte[] end = prefix[..(last + 1)];
        end[last]++;
        return end;
    }
}
