namespace Voron.Storage.Typed.Tables;

/// <summary>
/// The next entries of a pass, which are added together. A unique index is first walked beside all of them, since entries that need no
/// look-up are put in half the time.
/// </summary>
internal sealed class BuildChunk
{
    /// <summary>Most entries of a chunk: what is added between two looks at the clock.</summary>
    internal const int MostEntries = 256;

    private const int None = -1;

    private readonly bool[] _isLeftOut = new bool[MostEntries];

    /// <summary>The number of entries.</summary>
    internal int Count { get; private set; }

    /// <summary>Begins with the next entries of a pass, none of them left out.</summary>
    internal void Begin(BuildPass pass, int most)
    {
        Count = Math.Min(Math.Min(most, MostEntries), pass.Left);
        _isLeftOut.AsSpan(0, Count).Clear();
    }

    /// <summary>Leaves out an entry that its row does not have any more.</summary>
    internal void LeaveOut(int entry) => _isLeftOut[entry] = true;

    /// <summary>
    /// Adds the entries; returns one whose key a unique index has for another row, with nothing changed, or −1.
    /// </summary>
    internal int Add(BuildPass pass, IndexTree index)
    {
        int duplicate = index.TryGetUnique(out Tree unique) ? Compare(pass, unique.AsReadTree()) : None;
        for (int entry = 0; duplicate == None && entry < Count; entry++)
        {
            if (!_isLeftOut[entry])
            {
                index.Put(pass.KeyAt(entry), pass.PrimaryKeyAt(entry));
            }
        }

        return duplicate;
    }

    /// <summary>Leaves out the entries that the index has; returns one whose key is not unique, or −1.</summary>
    private int Compare(BuildPass pass, ReadTree index)
    {
        using TreeEnumerator existing = index.From(pass.KeyAt(0)).GetEnumerator();
        bool isThere = existing.MoveNext();
        int before = None;
        for (int entry = 0; entry < Count; entry++)
        {
            if (_isLeftOut[entry])
            {
                continue;
            }

            ReadOnlySpan<byte> key = pass.KeyAt(entry);
            if (before >= 0 && pass.KeyAt(before).SequenceEqual(key))
            {
                return entry;
            }

            int order = -1;
            while (isThere && (order = existing.Current.Key.SequenceCompareTo(key)) < 0)
            {
                isThere = existing.MoveNext();
            }

            if (isThere && order == 0)
            {
                if (!existing.Current.Value.SequenceEqual(pass.PrimaryKeyAt(entry)))
                {
                    return entry;
                }

                _isLeftOut[entry] = true;
            }

            before = entry;
        }

        return None;
    }
}
