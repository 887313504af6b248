namespace Voron.Storage.Tests.Doors;

/// <summary>A folder of its own in the system's temporary place, removed at the end.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    internal string Path { get; } = Directory.CreateTempSubdirectory("voron-test-").FullName;

    /// <summary>Copies a folder, as a kill at this moment would leave it; its database may be open.</summary>
    internal static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            if (System.IO.Path.GetFileName(file).StartsWith("spare-", StringComparison.Ordinal))
            {
                // No open needs a spare chunk, and an open database may rename or delete it at this moment.
                continue;
            }

            string target = System.IO.Path.Combine(to, System.IO.Path.GetRelativePath(from, file));
            Directory.CreateDirectory(System.IO.Path.GetDirectoryName(target)!);

            // The files of an open database are locked; .NET honours locks that this process itself holds elsewhere only where it asks
            // for one, which sharing all avoids.
            using FileStream source = new(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            using FileStream copy = new(target, FileMode.Create);
            source.CopyTo(copy);
        }
    }

    public void Dispose()
    {
        if (Directory.Exists(Path))
        {
            Directory.Delete(Path, recursive: true);
        }
    }
}
