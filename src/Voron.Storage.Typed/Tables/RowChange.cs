namespace Voron.Storage.Typed.Tables;

/// <summary>
/// The index keys of a row before and after a change, and which of them differ. One for each thread, used again; a selector that changes a
/// table itself gets another.
/// </summary>
internal sealed class RowChange : IDisposable
{
    /// <summary>A larger one is not kept.</summary>
    private const int MostKeptBytes = 1 << 16;

    [ThreadStatic]
    private static RowChange? _free;

    private RowChange()
    {
    }

    internal KeyList Before { get; } = new();

    internal KeyList After { get; } = new();

    /// <summary>Places in <see cref="After"/> of keys that are new.</summary>
    internal List<int> Added { get; } = [];

    /// <summary>Places in <see cref="Before"/> of keys that are gone.</summary>
    internal List<int> Removed { get; } = [];

    internal static RowChange Take()
    {
        RowChange change = _free ?? new RowChange();
        _free = null;
        return change;
    }

    /// <summary>Finds what differs.</summary>
    internal void Compare()
    {
        int i = 0;
        int j = 0;
        while (i < Before.Count || j < After.Count)
        {
            int order = i == Before.Count ? 1 : j == After.Count ? -1 : KeyList.Compare(Before, i, After, j);
            if (order < 0)
            {
                Removed.Add(i);
            }
            else if (order > 0)
            {
                Added.Add(j);
            }

            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
    }

    public void Dispose()
    {
        if (Before.BytesHeld <= MostKeptBytes && After.BytesHeld <= MostKeptBytes)
        {
            Before.Clear();
            After.Clear();
            Added.Clear();
            Removed.Clear();
            _free = this;
        }
    }
}
