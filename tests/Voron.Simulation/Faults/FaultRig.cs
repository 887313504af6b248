using FluentAssertions;
using Voron.Simulation.SelfTests;
using Voron.Storage;
using Voron.Storage.Transactions;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>
/// A database on a simulated disk that remembers what was acknowledged, and holds every state that the disk may be left in against it.
/// </summary>
internal sealed class FaultRig : IDisposable
{
    internal FaultRig(ulong seed = 1, SimDiskOptions? options = null) =>
        Disk = options is null ? DiskFixture.NewDisk(seed: seed) : new SimDisk(seed, options);

    internal SimDisk Disk { get; private set; }

    internal StorageEnvironment Environment { get; private set; } = null!;

    internal List<StorageEvent> Events { get; } = [];

    /// <summary>Keys 0 … this − 1 are acknowledged.</summary>
    internal int Acknowledged { get; private set; }

    internal FaultRig Open(long? maxDirtyBytes = null) => Open(Options(maxDirtyBytes));

    internal FaultRig Open(StorageOptions options)
    {
        Environment = StorageEnvironment.Open(Folder, options);
        return this;
    }

    internal StorageOptions Options(long? maxDirtyBytes = null) => new()
    {
        Engine = new() { Disk = Disk, Background = false, JournalledBytes = 0 },
        OnEvent = Events.Add, PageSize = 4096, MaxDirtyBytes = maxDirtyBytes,
    };

    /// <summary>Commits the next keys in one transaction; they count as acknowledged when the commit returns.</summary>
    internal void Commit(int keys = 20, int valueBytes = 100)
    {
        using WriteTransaction transaction = Environment.BeginWrite();
        Put(transaction, keys, valueBytes);
        transaction.Commit();
        Acknowledged += keys;
    }

    internal void Put(WriteTransaction transaction, int keys, int valueBytes = 100) =>
        NumberedRows.Put(transaction, Enumerable.Range(Acknowledged, keys), valueBytes);

    /// <summary>Commits every key again with the value that it has: all leaves get new versions.</summary>
    internal void Rewrite()
    {
        using WriteTransaction transaction = Environment.BeginWrite();
        NumberedRows.Put(transaction, Enumerable.Range(0, Acknowledged), 100);
        transaction.Commit();
    }

    /// <summary>Commits the end of all keys from this one on.</summary>
    internal void Remove(int from)
    {
        using WriteTransaction transaction = Environment.BeginWrite();
        Tree tree = transaction.OpenTree(NumberedRows.Tree);
        for (int i = from; i < Acknowledged; i++)
        {
            tree.Delete(Key(i));
        }

        transaction.Commit();
        Acknowledged = from;
    }

    /// <summary>Whatever a kill or a power cut had left at an earlier moment is sound and holds so many keys.</summary>
    internal static void ExpectSafe(SimSnapshot left, int keys)
    {
        foreach (SimDisk disk in (ReadOnlySpan<SimDisk>)
            [left.Kill(), left.Cut(CutChoice.None), left.Cut(CutChoice.All), left.Cut(CutChoice.Random(1)), left.Cut(CutChoice.Random(2))])
        {
            StorageOptions options = new() { Engine = new() { Disk = disk, Background = false } };
            using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
            Read(environment).Should().Be(keys);
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    internal void Acknowledge(int keys) => Acknowledged += keys;

    internal SimFault Break(SimCallKind calls, string path, IoErrorKind error, int from = 1, int times = int.MaxValue)
    {
        SimFault fault = new() { Calls = calls, Path = path, Error = error, From = from, Times = times };
        Disk.Faults.Add(fault);
        return fault;
    }

    /// <summary>The disk works again, and has room.</summary>
    internal void Heal()
    {
        Disk.Faults.Clear();
        Disk.CapacityBytes = long.MaxValue;
    }

    /// <summary>
    /// Whatever a kill or a power cut leaves now is a sound database with all that was acknowledged, and at most <paramref
    /// name="maybe"/> keys more, as a whole.
    /// </summary>
    internal void ExpectSafe(int maybe = 0)
    {
        Heal();
        SimSnapshot now = Disk.Capture();
        ExpectContent(now.Kill(), maybe);
        IEnumerable<CutChoice> random = Enumerable.Range(1, 12).Select(static seed => CutChoice.Random((ulong)seed));
        foreach (CutChoice cut in (CutChoice[])[CutChoice.None, CutChoice.All, .. random])
        {
            ExpectContent(now.Cut(cut), maybe);
        }
    }

    /// <summary>The process ends and the same disk is opened again.</summary>
    internal void Restart()
    {
        SimDisk left = Disk.Kill();
        Drop();
        Disk = left;
        Open();
    }

    internal void ExpectHere(int maybe = 0)
    {
        int found = Read(Environment);
        found.Should().BeOneOf(Acknowledged, Acknowledged + maybe);
        Environment.Check().Findings.Should().BeEmpty();
    }

    public void Dispose()
    {
        if (Environment is not null)
        {
            Drop();
        }
    }

    private void ExpectContent(SimDisk disk, int maybe)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false },
        });
        Read(environment).Should().BeOneOf(Acknowledged, Acknowledged + maybe);
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>Throws the environment away with nothing more reaching the disk.</summary>
    private void Drop()
    {
        Disk.PowerOff();
        try
        {
            Environment.Dispose();
        }
        catch (StorageException)
        {
            // The closing checkpoint meets a disk that is off.
        }
    }
}
