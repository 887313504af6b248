namespace Voron.House.Tests;

/// <summary>Finds the working copy that this test assembly was built from, and its text files.</summary>
internal static class Repository
{
    private static readonly string[] SkippedFolders =
        ["bin", "obj", ".git", ".vs", ".idea", "artifacts", "TestResults", "BenchmarkDotNet.Artifacts"];

    internal static string Root { get; } = FindRoot(AppContext.BaseDirectory);

    /// <summary>Walks up from the folder to the one that holds the solution.</summary>
    internal static string FindRoot(string from)
    {
        for (DirectoryInfo? folder = new(from); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Voron.sln")))
            {
                return folder.FullName;
            }
        }

        throw new InvalidOperationException(
            $"No folder above '{from}' holds Voron.sln; run the house tests from a build inside the working copy.");
    }

    /// <summary>
    /// Every file below the named folder (or directly in the root, for an empty name) with one of the endings; build output is left out.
    /// </summary>
    internal static IEnumerable<SourceFile> Files(string folder, params string[] endings)
    {
        string start = Path.Combine(Root, folder);
        if (!Directory.Exists(start))
        {
            return [];
        }

        IEnumerable<string> paths = folder.Length == 0 ? Directory.EnumerateFiles(start) : Walk(start);
        return paths
            .Where(path => endings.Length == 0 || endings.Any(ending => path.EndsWith(ending, StringComparison.Ordinal)))
            .Select(path => new SourceFile(Path.GetRelativePath(Root, path).Replace('\\', '/'), File.ReadAllText(path)))
            .OrderBy(file => file.Path, StringComparer.Ordinal);
    }

    private static IEnumerable<string> Walk(string folder)
    {
        foreach (string path in Directory.EnumerateFiles(folder))
        {
            yield return path;
        }

        foreach (string below in Directory.EnumerateDirectories(folder))
        {
            if (SkippedFolders.Contains(Path.GetFileName(below)))
            {
                continue;
            }

            foreach (string path in Walk(below))
            {
                yield return path;
            }
        }
    }
}
