using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Asks for the leaves that a scan will reach next, so that the device reads several of them at once and the scan does not wait for each.
/// The window grows while the scan goes on in one direction, so a short range reads little that it does not need.
/// </summary>
internal struct LeafReadAhead
{
    private const int FirstWindow = 4;
    private const int LargestWindow = 128;

    /// <summary>The branch above the leaves.</summary>
    private PageNumber _branch;

    /// <summary>Index in the branch of the first child, in the direction of the scan, that was not asked for.</summary>
    private int _next;
    private int _window;

    /// <summary>Asks for the leaf behind that of a cursor, which is below this branch, if it is below the same one.</summary>
    internal static void Next(PageSource source, TransactionId snapshot, in CursorLevel parent)
    {
        if (source.Mapped.IsCold && parent.Node.Page != default && parent.Index + 1 < parent.Node.Count)
        {
            source.ReadAhead(parent.Node.Child(parent.Index + 1), snapshot);
        }
    }

    /// <summary>Notes that the scan has stepped to a leaf below this branch.</summary>
    internal void Step(PageSource source, TransactionId snapshot, in CursorLevel parent, bool forward)
    {
        if (!source.Mapped.IsCold)
        {
            return;
        }

        Node branch = parent.Node;
        int index = parent.Index;
        int step = forward ? 1 : -1;
        if (branch.Page != _branch)
        {
            _branch = branch.Page;
            _next = index + step;
        }

        int left = (_next - index) * step;
        if (left < 0 || left > LargestWindow)
        {
            // The scan has turned around.
            _next = index + step;
            _window = 0;
        }
        else if (left > _window / 2)
        {
            return;
        }

        _window = Math.Clamp(2 * _window, FirstWindow, LargestWindow);
        int end = forward ? Math.Min(index + 1 + _window, branch.Count) : Math.Max(index - 1 - _window, -1);
        for (; (end - _next) * step > 0; _next += step)
        {
            source.ReadAhead(branch.Child(_next), snapshot);
        }
    }
}
