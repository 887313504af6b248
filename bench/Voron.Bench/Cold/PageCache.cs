using Microsoft.Win32.SafeHandles;
using Voron.Bench.Measuring;
using Voron.Bench.Raw;

namespace Voron.Bench.Cold;

/// <summary>What the system keeps in memory of files.</summary>
internal static class PageCache
{
    private const int TrialBytes = 8 << 20;

    /// <summary>Writes out and drops what is kept of all files in a folder, which no process has mapped.</summary>
    internal static void Drop(string folder)
    {
        foreach (string file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            using SafeFileHandle handle = File.OpenHandle(file, FileMode.Open, FileAccess.ReadWrite);
            RandomAccess.FlushToDisk(handle);
            _ = SystemCalls.Advise((int)handle.DangerousGetHandle(), 0, 0, SystemCalls.DropFromCache);
        }
    }

    /// <summary>Whether what was dropped is read from the device again, which a file system need not do.</summary>
    internal static bool CanDrop(string folder, BlockDevice device)
    {
        string trial = Directory.CreateDirectory(Path.Combine(folder, "trial")).FullName;
        string file = Path.Combine(trial, "file");
        byte[] bytes = new byte[TrialBytes];
        new RandomBytes(1).Fill(bytes);
        File.WriteAllBytes(file, bytes);
        Drop(trial);
        long before = device.BytesRead;
        _ = File.ReadAllBytes(file);
        long read = device.BytesRead - before;
        Directory.Delete(trial, recursive: true);

        // A few pages may stay, on lists of a processor that the system has not looked through yet.
        return read >= TrialBytes / 2;
    }
}
