using System.Buffers.Binary;
using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What the system says of the files of layers: their pages are clean once they were synced, whatever is merged.</summary>
public sealed class LayerFileTests
{
    private const int Items = 500_000;
    private const int PutsPerCommit = 100;

    /// <summary>
    /// A layer is confirmed once, and costs one write: nothing in its file changes afterwards, not when entries leave it and not when their
    /// pages are freed. Linux tells of it.
    /// </summary>
    [Fact]
    public void Layers_stay_as_they_were_made()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(
            folder.Path, new StorageOptions { MaxDirtyBytes = 8 << 20, Engine = new EngineSettings { PendingLayerBytes = 16 << 20 } });
        int put = 0;
        while (environment.GetReport().MergedEntries == 0)
        {
            put = Put(environment, put);
        }

        environment.Checkpoint();
        Dictionary<string, long> dirty = DirtyBytesOf(folder.Path);
        dirty.Should().HaveCountGreaterThan(2);
        dirty.Values.Should().AllBeEquivalentTo(0L, "a checkpoint has synced them");
        long merged = environment.GetReport().MergedEntries;
        while (environment.GetReport().MergedEntries < merged + 20_000)
        {
            put = Put(environment, put);
        }

        KeyValuePair<string, long>[] left = [.. DirtyBytesOf(folder.Path).Where(layer => dirty.ContainsKey(layer.Key))];
        left.Should().NotBeEmpty("not everything is merged");
        left.Should().OnlyContain(static layer => layer.Value == 0);
    }

    private static int Put(StorageEnvironment environment, int first)
    {
        first.Should().BeLessThan(Items, "so many are enough for merges");
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("items");
        byte[] key = new byte[16];
        for (int item = first; item < first + PutsPerCommit; item++)
        {
            BinaryPrimitives.WriteUInt64BigEndian(key, (ulong)item * 0x9E3779B97F4A7C15);
            tree.Put(key, new byte[100]);
        }

        transaction.Commit(CommitMode.Lazy);
        return first + PutsPerCommit;
    }

    /// <summary>Of each spill file mapped from this folder, by the address of the map: the bytes that are not on the disk.</summary>
    private static Dictionary<string, long> DirtyBytesOf(string folder)
    {
        Dictionary<string, long> dirty = [];
        string? map = null;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            if (line.Contains('/') || !char.IsUpper(line[0]))
            {
                bool isHere = line.Contains(folder, StringComparison.Ordinal);
                bool isSpill = isHere && line.Contains("voron.spill", StringComparison.Ordinal);
                map = isSpill ? line.Split(' ')[0] : null;
            }
            else if (map is not null && line.Contains("_Dirty:", StringComparison.Ordinal))
            {
                string kibibytes = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1];
                dirty[map] = dirty.GetValueOrDefault(map) + (1024 * long.Parse(kibibytes, CultureInfo.InvariantCulture));
            }
        }

        return dirty;
    }
}
