using System.Collections.Concurrent;
using System.Diagnostics;

namespace Voron.Simulation.Blocks;

/// <summary>
/// The programs that real file systems need: a compiler with libfuse for the device, the makers of file systems, mount and umount.
/// </summary>
internal static class BlockTools
{
    private const string Header = "/usr/include/fuse3/fuse.h";

    private static readonly string[] Programs =
        ["/usr/bin/gcc", "/usr/bin/mount", "/usr/sbin/mkfs.ext4", "/usr/sbin/mkfs.xfs", "/dev/fuse", Header];

    private static readonly ConcurrentDictionary<string, Lazy<string>> Made = new();

    internal const string Missing = "needs root and apt-get install gcc libc6-dev fuse3 libfuse3-dev e2fsprogs xfsprogs";

    internal static bool ArePossible => OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess && Programs.All(File.Exists);

    /// <summary>The device's program, made from its source on first use.</summary>
    internal static string DeviceProgram => Compiled("block-image");

    /// <summary>The program of a source beside this one, made on first use.</summary>
    internal static string Compiled(string name) => Made.GetOrAdd(name, static name => new Lazy<string>(() => Compile(name))).Value;

    /// <summary>Runs a program to its end; anything but success is an error that tells what it said.</summary>
    internal static void Run(string program, params string[] arguments)
    {
        (int code, string said) = Try(program, arguments);
        if (code != 0)
        {
            throw new InvalidOperationException($"{program} {string.Join(' ', arguments)} ended with {code}: {said}");
        }
    }

    internal static (int Code, string Said) Try(string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardError = true, RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string said = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, said + output.Result);
    }

    /// <summary>
    /// A process that is just being started holds copies of all open files for a moment, and a loop device ends a little after its mount,
    /// so the first try may be too early.
    /// </summary>
    internal static void Unmount(string directory)
    {
        for (int tries = 0; Try("/usr/bin/umount", directory) is { Code: not 0 } failed; tries++)
        {
            if (tries == 200)
            {
                throw new InvalidOperationException($"{directory} stays in use: {failed.Said}");
            }

            Thread.Sleep(10);
        }
    }

    private static string Compile(string name)
    {
        string source = Path.Combine(AppContext.BaseDirectory, "Blocks", name + ".c");
        string program = Path.Combine(AppContext.BaseDirectory, "Blocks", name);
        string made = $"{program}.{Environment.ProcessId}";
        Run("/usr/bin/gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_FILE_OFFSET_BITS=64", "-I", Path.GetDirectoryName(Header)!, source,
            "-o", made, "-lfuse3", "-lpthread");
        File.Move(made, program, overwrite: true);
        return program;
    }
}
