using System.Runtime.InteropServices;

namespace Voron.Storage.Pages;

/// <summary>
/// A mark for each savepoint of the write transaction, oldest first: the state of one part at that savepoint, or where the part keeps it.
/// All parts have the same savepoints, so the depth of a savepoint, the number of those before it, finds its mark in each of them.
/// </summary>
internal readonly struct SavepointStack<TMark>()
    where TMark : struct
{
    private readonly List<TMark> _marks = [];

    internal int Count => _marks.Count;

    /// <summary>The mark of a savepoint; a part may change it as long as no savepoint is created.</summary>
    internal ref TMark this[int depth] => ref CollectionsMarshal.AsSpan(_marks)[depth];

    /// <summary>The mark of the newest savepoint, of which there must be one.</summary>
    internal ref TMark Newest => ref this[Count - 1];

    /// <summary>Makes room for one more mark, so that the next <see cref="Create"/> cannot fail.</summary>
    internal void EnsureRoom() => _marks.EnsureCapacity(_marks.Count + 1);

    internal void Create(in TMark mark) => _marks.Add(mark);

    /// <summary>Releases the savepoints after this one, which remains valid, and returns its mark.</summary>
    internal TMark RollbackTo(int depth)
    {
        TMark mark = _marks[depth];
        _marks.RemoveRange(depth + 1, _marks.Count - depth - 1);
        return mark;
    }

    /// <summary>Releases this savepoint and all later ones, and returns its mark.</summary>
    internal TMark Release(int depth)
    {
        TMark mark = _marks[depth];
        _marks.RemoveRange(depth, _marks.Count - depth);
        return mark;
    }

    internal void Clear() => _marks.Clear();

    /// <summary>The depth of the savepoint with this mark, or −1.</summary>
    internal int DepthOf(in TMark mark) => _marks.IndexOf(mark);
}
