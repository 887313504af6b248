namespace Voron.Simulation.Blocks;

/// <summary>A mounted file system, as long as it lives.</summary>
internal sealed class BlockMount : IDisposable
{
    internal const string DatabaseName = "db";

    internal BlockMount(string image, string directory, string options)
    {
        Directory = directory;
        if (BlockTools.Try("/usr/bin/mount", "-o", options, image, directory) is { Code: not 0 } failed)
        {
            throw new UnmountableException($"{image} cannot be mounted at {directory}: {failed.Said}");
        }
    }

    internal string Directory { get; }

    /// <summary>The database's folder.</summary>
    internal string Database => Path.Combine(Directory, DatabaseName);

    public void Dispose() => BlockTools.Unmount(Directory);
}
