namespace Voron.Simulation.Fuzz;

/// <summary>A set of files: path to bytes. Nobody changes the bytes; who damages a file puts another array in its place.</summary>
internal sealed class FuzzImage
{
    private readonly SortedDictionary<string, byte[]> _files = new(StringComparer.Ordinal);

    internal IReadOnlyDictionary<string, byte[]> Files => _files;

    internal byte[]? this[string path] => _files.GetValueOrDefault(path);

    internal static FuzzImage Of(SimDisk disk)
    {
        FuzzImage image = new();
        foreach (string path in disk.Paths())
        {
            image._files.Add(path, disk.Peek(path)!);
        }

        return image;
    }

    internal FuzzImage Copy()
    {
        FuzzImage copy = new();
        foreach ((string path, byte[] bytes) in _files)
        {
            copy._files.Add(path, bytes);
        }

        return copy;
    }

    internal void Put(string path, byte[] bytes) => _files[path] = bytes;

    internal void Remove(string path) => _files.Remove(path);

    /// <summary>The file's bytes, this image's own from now on.</summary>
    internal byte[] Own(string path) => _files[path] = [.. _files[path]];
}
