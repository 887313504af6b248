using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Rescue;

/// <summary>The exceptions of salvage and inspection.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void TwiceReached(PageNumber page) => throw new StorageCorruptException(
        $"Page {page} of the database has two uses or lies beyond its end. 'voron check' names all that is damaged.", null, page.Value);

    [DoesNotReturn]
    internal static void OccupiedTarget(string path) => throw new ArgumentException(
        $"There is a database in '{path}' already. A salvage fills a new one: choose an empty folder.");
}
