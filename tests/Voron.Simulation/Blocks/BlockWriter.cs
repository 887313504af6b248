using System.Diagnostics;
using System.Globalization;
using FluentAssertions;
using Voron.CrashWriter;

namespace Voron.Simulation.Blocks;

/// <summary>Lets the writing process live on a logged device for a while. Its standard output is a file of the device.</summary>
internal static class BlockWriter
{
    private const long LongestLogBytes = 48 << 20;

    /// <summary>
    /// The device's log from an image on, mount of the file system included, until the process has said so much. A broken rule is one of
    /// the writing process alone; the judge is never broken.
    /// </summary>
    internal static BlockLog Record(
        BlockWorkspace workspace, BlockFileSystem system, string image, ulong seed, int messages, string? broken = null)
    {
        using BlockDevice device = new(workspace, image);
        using BlockMount mount = system.Mount(device.Disk, workspace.DirectoryOf("writer"));
        using Process process = Start(mount.Database, device.Said, seed, broken);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        try
        {
            SpinWait.SpinUntil(
                () => process.HasExited || device.Counts().Said >= messages || new FileInfo(device.LogFile).Length > LongestLogBytes,
                TimeSpan.FromSeconds(60)).Should().BeTrue("the writer writes ({0})", system.Name);
            device.EndLog();
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit();
        }

        errors.Result.Should().BeEmpty("the writer met no error ({0})", system.Name);
        return new BlockLog(device.LogFile);
    }

    private static Process Start(string database, string said, ulong seed, string? broken)
    {
        ProcessStartInfo writer = CrashProgram.Start(database, seed.ToString(CultureInfo.InvariantCulture));
        ProcessStartInfo start = new("/bin/sh", ["-c", "exec \"$@\" > \"$0\"", said, writer.FileName, .. writer.ArgumentList])
        {
            RedirectStandardInput = true, RedirectStandardError = true,
        };
        start.Environment[CrashProgram.BrokenRule] = broken;
        return Process.Start(start)!;
    }
}
