using System.Runtime.InteropServices;
using Voron.Storage;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Rescue;
using Voron.Storage.Transactions;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// What is done with one damaged file set: opened for reading, every fourth one salvaged, every second one opened for writing, and each
/// time read and checked; forged ones are written to as well. Errors that are typed are right answers; everything
/// else that is not the model's content is a finding.
/// </summary>
internal sealed class FuzzTrial(FuzzSet set)
{
    private const long MostManagedBytes = 100L << 20;
    private const long MostNativeBytes = 64L << 20;
    private const string SalvageDirectory = "/salvaged";

    private readonly List<string> _taken = [];
    private long _asked;

    /// <summary>What the open for reading recovered to, or −1.</summary>
    private long _recovered = -1;

    /// <summary>What the opens and reads came to.</summary>
    internal FuzzTally Tally { get; } = new() { Sets = 1 };

    internal void Run()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        SystemMemory.Refuses = bytes => bytes > MostNativeBytes && (_asked = Math.Max(_asked, bytes)) > 0;
        try
        {
            FuzzDisk disk = new(set.Image, set.Choices);
            Step("open for reading", disk, () => OpenAndRead(disk, readOnly: true));
            if (set.Choices % 4 == 0)
            {
                Step("salvage", disk, () => Salvage(disk));
            }

            if (set.Choices % 2 == 0)
            {
                Step("open for writing", disk, () => OpenAndRead(disk, readOnly: false));
            }
        }
        finally
        {
            SystemMemory.Refuses = null;
        }

        long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        if (bytes > MostManagedBytes || _asked > 0)
        {
            string steps = string.Join(", ", _taken);
            throw new FuzzFindingException(
                $"memory without bounds: {bytes} managed bytes ({steps}), {_asked} native ones asked for at once");
        }
    }

    private void Step(string name, FuzzDisk disk, Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            action();
            _taken.Add($"{name} {GC.GetAllocatedBytesForCurrentThread() - before}");
        }
        catch (Exception error) when (error is not FuzzFindingException)
        {
            throw new FuzzFindingException($"{name}: {error.GetType().Name} is no report of damage: {error.Message}", error);
        }
        catch (FuzzFindingException finding)
        {
            throw new FuzzFindingException($"{name}: {finding.Message}", finding);
        }

        if (disk.OpenFileCount != 0)
        {
            throw new FuzzFindingException($"{name}: {disk.OpenFileCount} files stayed open");
        }
    }

    private void OpenAndRead(FuzzDisk disk, bool readOnly)
    {
        StorageEnvironment environment;
        try
        {
            environment = StorageEnvironment.Open(FuzzSeedImage.Directory, OptionsOn(disk, readOnly));
        }
        catch (StorageException)
        {
            Tally.Refused++;
            return;
        }

        Tally.Opened++;
        _recovered = environment.Database.Parts.Versions.Visible.Value;
        bool isClosed = false;
        try
        {
            FuzzReading reading = new(set.Seed, set.Trust, Judge(environment.Database.Parts.Versions.Visible.Value));
            reading.ReadAll(environment);
            Tally.ReadsRefused += reading.Refusals > 0 ? 1 : 0;
            Check(environment, reading.Refusals > 0);
            if (!readOnly && (set.IsForged || set.Choices % 8 == 0))
            {
                isClosed = Write(environment);
            }
        }
        finally
        {
            if (!isClosed)
            {
                environment.Database.Abandon();
            }
        }
    }

    private static StorageOptions OptionsOn(FuzzDisk disk, bool readOnly) => FuzzScript.OptionsOn(disk, null, readOnly: readOnly);

    /// <summary>What the recovered transaction must show; null where nobody can say.</summary>
    private FuzzRows? Judge(long recovered)
    {
        if (set.Trust != FuzzTrust.Exact)
        {
            return null;
        }

        string? problem = FuzzOracle.Judge(set.Seed, set.Image, recovered);
        FuzzRows? rows = set.Seed.History.At(recovered);
        return problem is null && rows is not null
            ? rows
            : throw new FuzzFindingException(problem ?? $"recovered to transaction {recovered}, which never was");
    }

    private void Check(StorageEnvironment environment, bool isDamaged)
    {
        try
        {
            CheckReport report = environment.Check();
            Tally.Unclean += report.IsClean ? 0 : 1;
            if (report.IsClean && isDamaged)
            {
                throw new FuzzFindingException("reads were refused, and the check found nothing");
            }
        }
        catch (StorageException)
        {
            Tally.Unclean++;
        }
    }

    /// <summary>Changes, a checkpoint and a clean close, as far as they go; true when it was closed.</summary>
    private bool Write(StorageEnvironment environment)
    {
        SimRandom random = new(set.Choices);
        try
        {
            for (int round = 0; round < 2; round++)
            {
                using (WriteTransaction write = environment.BeginWrite())
                {
                    foreach (byte[] name in write.TreeNameBytes.Take(4))
                    {
                        Change(write, name, random);
                    }

                    write.Commit();
                }

                environment.Checkpoint();
            }
        }
        catch (StorageException)
        {
            return false;
        }

        try
        {
            environment.Dispose();
            Tally.Written++;
        }
        catch (StorageException)
        {
            // It is closed all the same.
        }

        return true;
    }

    /// <summary>Damage may have made a tree one of another kind.</summary>
    private void Change(WriteTransaction write, byte[] name, SimRandom random)
    {
        if (set.Seed.Kind == TreeKind.Multi && write.TryOpenMultiTree(name, out MultiTree pairs))
        {
            Change(pairs, random);
        }
        else if (set.Seed.Kind == TreeKind.Fixed)
        {
            if (set.Seed.FixedKeyBytes == sizeof(long) && write.TryOpenFixedTree(name, out FixedTree<long> numbers))
            {
                Change(numbers, random);
            }
            else if (write.TryOpenFixedTree(name, out FixedTree<Guid> guids))
            {
                Change(guids, random);
            }
        }
        else
        {
            Change(write.OpenTree(name), random);
        }
    }

    private static void Change(MultiTree tree, SimRandom random)
    {
        byte[] value = new byte[tree.ValueBytes ?? random.Below(100)];
        for (int i = 0; i < 40; i++)
        {
            random.Fill(value);
            byte[] key = [(byte)('a' + random.Below(16)), 0, (byte)random.Below(3)];
            tree.Add(key, value);
            _ = random.OneIn(4) && tree.Delete(key, value);
        }

        using (MultiCursor cursor = tree.OpenCursor())
        {
            for (int i = 0; i < 12 && cursor.MoveNext(); i++)
            {
                tree.Delete(cursor.Key, cursor.Value);
            }
        }

        tree.DeleteAll([(byte)'b', 0, 1]);
        tree.DeleteRange([(byte)('a' + random.Below(16))], [(byte)('b' + random.Below(16)), 0]);
    }

    private static void Change<TKey>(FixedTree<TKey> tree, SimRandom random)
        where TKey : unmanaged
    {
        byte[] value = new byte[tree.ValueSize];
        TKey key = default;
        for (int i = 0; i < 60; i++)
        {
            random.Fill(value);
            random.Fill(MemoryMarshal.AsBytes(new Span<TKey>(ref key)));
            tree.Put(key, value);
            _ = random.OneIn(4) && tree.Delete(key);
        }

        for (int i = 0; i < 12 && tree.TryGetFirst(out TKey first, out _); i++)
        {
            tree.Delete(first);
        }

        TKey end = key;
        random.Fill(MemoryMarshal.AsBytes(new Span<TKey>(ref end)));
        tree.DeleteRange(key, end);
    }

    private static void Change(Tree tree, SimRandom random)
    {
        byte[] value = new byte[random.Below(300)];
        for (int i = 0; i < 12; i++)
        {
            byte[] key = [(byte)('a' + random.Below(16)), (byte)random.Below(2), (byte)random.Next(), 7];
            tree.Put(key, value);
        }

        tree.Delete([(byte)'b', 0, 1]);
        tree.DeleteRange([(byte)('a' + random.Below(16))], [(byte)('b' + random.Below(16)), 0]);
    }

    private void Salvage(FuzzDisk disk)
    {
        SalvageReport report;
        try
        {
            report = StorageSalvage.Copy(FuzzSeedImage.Directory, SalvageDirectory, OptionsOn(disk, readOnly: false));
        }
        catch (StorageException)
        {
            return;
        }

        Tally.Salvaged++;
        using StorageEnvironment environment = StorageEnvironment.Open(SalvageDirectory, OptionsOn(disk, readOnly: false));
        CheckReport check = environment.Check();
        if (!check.IsClean)
        {
            throw new FuzzFindingException($"the check of what was salvaged found: {string.Join("; ", check.Findings.Take(4))}");
        }

        Tally.Complete += report.IsComplete ? 1 : 0;

        // Of an incomplete one every row must have been committed once; a complete one is what an open shows.
        bool isWhole = set.TrustInSalvage == FuzzTrust.Exact && _recovered >= 0 && (report.IsComplete || set.Damages == 0);
        FuzzTrust trust = isWhole || set.TrustInSalvage == FuzzTrust.Nothing ? set.TrustInSalvage : FuzzTrust.Mixed;
        FuzzReading reading = new(set.Seed, trust, isWhole ? set.Seed.History.At(_recovered) : null);
        reading.ReadAll(environment);
        if (reading.Refusals > 0)
        {
            throw new FuzzFindingException("what was salvaged cannot be read");
        }
    }
}
