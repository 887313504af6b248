using System.Diagnostics;
using System.Globalization;
using FluentAssertions;

namespace Voron.Simulation.Blocks;

/// <summary>
/// A device under a loop device: <c>block-image.c</c> as a process, which logs every write and flush, and fails some when told.
/// </summary>
internal sealed class BlockDevice : IDisposable
{
    private readonly Process _process;
    private readonly string _point;

    internal BlockDevice(BlockWorkspace workspace, string image)
    {
        _point = workspace.DirectoryOf("device");
        LogFile = workspace.PathOf("device.log");
        ProcessStartInfo start = new(BlockTools.DeviceProgram, [image, LogFile, _point])
        {
            RedirectStandardInput = true, RedirectStandardError = true,
        };
        _process = Process.Start(start)!;
        SpinWait.SpinUntil(() => _process.HasExited || File.Exists(Disk), TimeSpan.FromSeconds(30)).Should().BeTrue("the device starts");
        if (_process.HasExited)
        {
            throw new InvalidOperationException($"The device ended: {_process.StandardError.ReadToEnd()}");
        }
    }

    internal string LogFile { get; }

    /// <summary>What a loop device is put on.</summary>
    internal string Disk => Path.Combine(_point, "disk");

    /// <summary>What is written here stands in the log, between the device's calls.</summary>
    internal string Said => Path.Combine(_point, "said");

    private string Control => Path.Combine(_point, "control");

    /// <summary>How many calls of each kind there were.</summary>
    internal (long Writes, long Flushes, long Said, long Failed) Counts()
    {
        string[] words = File.ReadAllText(Control).Split(' ', '\n');
        long Number(int at) => long.Parse(words[at], CultureInfo.InvariantCulture);
        return (Number(1), Number(3), Number(5), Number(7));
    }

    /// <summary>The log ends here; the device goes on.</summary>
    internal void EndLog() => Command("stop");

    /// <summary>After so many writes more, some fail with EIO and leave the image as it was.</summary>
    internal void FailWrites(long after, long count) => Command(FormattableString.Invariant($"fail-writes {after} {count}"));

    /// <summary>The same of flushes.</summary>
    internal void FailFlushes(long after, long count) => Command(FormattableString.Invariant($"fail-flushes {after} {count}"));

    public void Dispose()
    {
        BlockTools.Unmount(_point);
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    private void Command(string command)
    {
        using FileStream file = new(Control, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        file.Write(System.Text.Encoding.ASCII.GetBytes(command));
    }
}
