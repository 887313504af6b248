using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Rescue;

/// <summary>The exceptions of salvage and inspection.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void OccupiedTarget(string path) => throw new ArgumentException(
        $"There is a database in '{path}' already. A salvage fills a new one: choose an empty folder.");
}
