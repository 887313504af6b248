namespace Voron.Simulation;

/// <summary>Paths of the simulated disk: absolute, with forward slashes, never ending in one (the root is empty).</summary>
internal static class SimPath
{
    internal static string Normalize(string path)
    {
        string normal = path.Contains('\\', StringComparison.Ordinal) ? path.Replace('\\', '/') : path;
        if (normal.Length == 0 || (normal[0] != '/' && !(normal.Length > 1 && normal[1] == ':')))
        {
            Throw.NotAbsolute(path);
        }

        return normal.EndsWith('/') ? normal.TrimEnd('/') : normal;
    }

    internal static string Parent(string path)
    {
        int slash = path.LastIndexOf('/');
        return slash < 0 ? string.Empty : path[..slash];
    }

    /// <summary>Whether a path's <see cref="Parent"/> is this directory.</summary>
    internal static bool IsIn(string path, string directory) =>
        path.AsSpan(0, Math.Max(path.LastIndexOf('/'), 0)).SequenceEqual(directory);

    internal static string Name(string path) => path[(path.LastIndexOf('/') + 1)..];
}
