using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;
using Voron.Bench.Cold;
using Voron.Storage;

namespace Voron.Bench.History;

/// <summary>
/// A database, its backup and its dump; bytes and entries per second of each. Where the device is compared, the page cache is dropped
/// first.
/// </summary>
internal sealed class BackupWork : IDisposable
{
    private const string Name = "history";
    private const int ItemsPerTransaction = 10_000;
    private const int WarmUps = 2;

    private readonly Workspace _workspace;
    private readonly string _folder;
    private readonly string _backup;
    private readonly string _dump;
    private readonly int _items;

    internal BackupWork(Workspace workspace, string folder, int items, ulong seed)
    {
        _workspace = workspace;
        _folder = folder;
        _items = items;
        _backup = Path.Combine(workspace.Root, "full.vbak");
        _dump = Path.Combine(workspace.Root, "dump");
        Fill(seed);
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        using FileStream stream = File.Create(_backup);
        StreamBytes = Wait(environment.BackupAsync(PipeWriter.Create(stream))).Bytes;
    }

    /// <summary>Length of the full backup.</summary>
    internal long StreamBytes { get; }

    public void Dispose()
    {
        File.Delete(_backup);
        File.Delete(_dump);
    }

    /// <summary>Runs what is timed later, until the runtime has compiled it for good.</summary>
    internal void WarmUp()
    {
        for (int round = 0; round < WarmUps; round++)
        {
            BackUpAgain();
            Restore();
        }
    }

    /// <summary>
    /// Backs up what only the device has, and reads the data file from end to end before each time. Bytes a second, medians: as read, of
    /// the pages in use, of the stream.
    /// </summary>
    internal (double Device, double Pages, double Stream) BackUp(int rounds)
    {
        double[] device = new double[rounds];
        double[] pages = new double[rounds];
        double[] stream = new double[rounds];
        for (int round = 0; round < rounds; round++)
        {
            device[round] = ReadDevice();
            PageCache.Drop(_folder);
            (stream[round], pages[round]) = BackUpAgain();
        }

        return (Spread.Of(device).Median, Spread.Of(pages).Median, Spread.Of(stream).Median);
    }

    /// <summary>Bytes a second: of the stream, and of the pages in use that it was made of.</summary>
    internal (double Stream, double Pages) BackUpAgain()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder);
        long start = Stopwatch.GetTimestamp();
        BackupReport report = Wait(environment.BackupAsync(PipeWriter.Create(Stream.Null)));
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return (report.Bytes / seconds, report.Pages * (double)environment.GetReport().PageBytes / seconds);
    }

    internal double Restore()
    {
        string target = _workspace.NextDatabase();
        long start = Stopwatch.GetTimestamp();
        using (FileStream stream = File.OpenRead(_backup))
        {
            PipeReader reader = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 1 << 20));
            Wait(StorageBackup.RestoreAsync(target, [reader]));
        }

        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        using (StorageEnvironment restored = StorageEnvironment.Open(target))
        using (ReadTransaction read = restored.BeginRead())
        {
            Demands.Count("the restored database", read.OpenTree(Name).Count, _items);
        }

        Workspace.Remove(target);
        return StreamBytes / seconds;
    }

    internal double Dump()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder);
        using FileStream stream = File.Create(_dump);
        long start = Stopwatch.GetTimestamp();
        Wait(StorageDump.WriteAsync(environment, PipeWriter.Create(stream)));
        return _items / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    internal double Load()
    {
        string target = _workspace.NextDatabase();
        double seconds;
        using (StorageEnvironment loaded = StorageEnvironment.Open(target))
        using (FileStream stream = File.OpenRead(_dump))
        {
            long start = Stopwatch.GetTimestamp();
            Wait(StorageDump.LoadAsync(loaded, PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 1 << 20))));
            seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        }

        Workspace.Remove(target);
        return _items / seconds;
    }

    private double ReadDevice()
    {
        PageCache.Drop(_folder);
        byte[] piece = new byte[1 << 20];
        long read = 0;
        long start = Stopwatch.GetTimestamp();
        using (SafeFileHandle file = File.OpenHandle(Path.Combine(_folder, "data.voron")))
        {
            for (int got = 1; got > 0; read += got)
            {
                got = RandomAccess.Read(file, piece, read);
            }
        }

        return read / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private void Fill(ulong seed)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder);
        RandomBytes random = new(seed);
        byte[] entry = new byte[DataSet.KeyBytes + 104];
        for (int first = 0; first < _items; first += ItemsPerTransaction)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Name);
            for (int i = first; i < Math.Min(_items, first + ItemsPerTransaction); i++)
            {
                random.Fill(entry);
                tree.Put(entry.AsSpan(0, DataSet.KeyBytes), entry.AsSpan(DataSet.KeyBytes, DataSet.ValueBytes));
            }

            transaction.Commit(CommitMode.Buffered);
        }
    }

    private static T Wait<T>(ValueTask<T> task) => task.AsTask().GetAwaiter().GetResult();
}
