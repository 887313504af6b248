using Spectre.Console;
using Voron.Native;

namespace Voron.Bench;

/// <summary>The folder of one run. It is made fresh and removed with everything in it; the folder that it lies in stays.</summary>
internal sealed class Workspace : IDisposable
{
    private const long TemporaryFileSystem = 0x01021994;
    private const long MemoryFileSystem = 0x858458F6;

    private int _databases;

    internal Workspace(string? parent)
    {
        parent = Path.GetFullPath(parent ?? Path.GetTempPath());
        Directory.CreateDirectory(parent);
        Root = Path.Combine(parent, "voron-bench-" + Path.GetRandomFileName());
        Directory.CreateDirectory(Root);
        Console.CancelKeyPress += Interrupt;
        SyncsPerWrite = AskDisk();
    }

    /// <summary>The run's folder.</summary>
    internal string Root { get; }

    /// <summary>1 where a write-through write needs a sync call beside it, because the device is not known to honour it; else 0.</summary>
    internal int SyncsPerWrite { get; }

    /// <summary>A folder for a database that is not there yet.</summary>
    internal string NextDatabase() => Path.Combine(Root, $"db{++_databases}");

    /// <summary>Removes a database.</summary>
    internal static void Remove(string folder) => Directory.Delete(folder, recursive: true);

    public void Dispose()
    {
        Console.CancelKeyPress -= Interrupt;
        if (Directory.Exists(Root))
        {
            Directory.Delete(Root, recursive: true);
        }
    }

    /// <summary>An interrupt ends the process without unwinding, so the files go here. What the engine makes after that is small.</summary>
    private void Interrupt(object? sender, ConsoleCancelEventArgs arguments)
    {
        try
        {
            Directory.Delete(Root, recursive: true);
        }
        catch (IOException)
        {
        }
    }

    /// <summary>
    /// Asks what a synced write takes here, and warns where nothing is ever synced: in a file system that lives in memory every figure
    /// flatters.
    /// </summary>
    private int AskDisk()
    {
        string path = Path.Combine(Root, "kind");
        NativeResult opened = NativeFile.Open(path, NativeFileOptions.Create | NativeFileOptions.DataSync, out NativeFile? file);
        if (opened.Failed)
        {
            throw new IOException($"Cannot make a file in '{Root}': {opened}. Give another folder with --dir.");
        }

        using (file)
        {
            if (!file!.Query(out NativeFileFacts facts).Failed && facts.FileSystemType is TemporaryFileSystem or MemoryFileSystem)
            {
                AnsiConsole.MarkupLineInterpolated(
                    $"[yellow]warning: {Root} lies in memory; synced writes cost nothing there. Give a folder on a disk with --dir.[/]");
            }
        }

        File.Delete(path);
        return file.FlushesWrites ? 1 : 0;
    }
}
