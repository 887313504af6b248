using System.Collections.Immutable;

namespace Voron.Simulation;

/// <summary>Which names lead to which files. Immutable, so that states share it.</summary>
internal sealed record SimNamespace(ImmutableSortedSet<string> Directories, ImmutableSortedDictionary<string, long> Files)
{
    internal static SimNamespace Empty { get; } = new(
        ImmutableSortedSet.Create<string>(StringComparer.Ordinal, string.Empty),
        ImmutableSortedDictionary.Create<string, long>(StringComparer.Ordinal));

    internal bool HasDirectory(string path) => Directories.Contains(path);

    internal bool TryFind(string path, out long inode) => Files.TryGetValue(path, out inode);

    internal SimNamespace Apply(SimAtom atom) => atom.Kind switch
    {
        SimAtomKind.MakeDirectory => this with { Directories = Directories.Add(atom.Path) },
        SimAtomKind.Create => this with { Files = Files.SetItem(atom.Path, atom.Inode) },
        SimAtomKind.Delete => Without(atom.Path, atom.Inode),
        SimAtomKind.Rename => WithoutNamesOf(atom).With(atom.NewPath, atom.Inode),
        _ => this,
    };

    /// <summary>Drops what lies in a directory that does not exist: its name was not durable, and all below is lost with it.</summary>
    internal SimNamespace WithoutOrphans()
    {
        ImmutableSortedSet<string> directories = Directories;
        foreach (string directory in Directories)
        {
            if (!Exists(directory))
            {
                directories = directories.Remove(directory);
            }
        }

        ImmutableSortedDictionary<string, long> files = Files;
        foreach (string file in Files.Keys)
        {
            if (!Exists(SimPath.Parent(file)))
            {
                files = files.Remove(file);
            }
        }

        return this with { Directories = directories, Files = files };
    }

    private bool Exists(string directory) =>
        directory.Length == 0 || (Directories.Contains(directory) && Exists(SimPath.Parent(directory)));

    /// <summary>
    /// A file has one name; when an earlier rename of it was lost and this one was kept, it still bears the name before that.
    /// </summary>
    private SimNamespace WithoutNamesOf(SimAtom atom)
    {
        SimNamespace names = Without(atom.Path, atom.Inode);
        foreach ((string path, long inode) in names.Files)
        {
            names = inode == atom.Inode ? names with { Files = names.Files.Remove(path) } : names;
        }

        return names;
    }

    private SimNamespace With(string path, long inode) => this with { Files = Files.SetItem(path, inode) };

    /// <summary>
    /// Removes the name only while it leads to this very file: another one may have taken it, and that atom may have been kept.
    /// </summary>
    private SimNamespace Without(string path, long inode) =>
        Files.TryGetValue(path, out long present) && present == inode ? this with { Files = Files.Remove(path) } : this;
}
