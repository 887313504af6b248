using System.IO.Pipelines;
using System.Text;
using Voron.Storage;
using Voron.Storage.Tests.Doors;

namespace Voron.Cli.Tests;

/// <summary>
/// A closed database with the trees <c>users</c> (keys u0000 to u0999), <c>blobs</c> (one value in the page, one in a run, one in
/// pieces) and <c>odd</c> (keys that are no text), to be looked at and damaged.
/// </summary>
internal sealed class TestDatabase : IDisposable
{
    internal const int PageBytes = 4096;
    internal const int Users = 1000;

    /// <summary>More than one piece of a value stream, which is 1 MiB.</summary>
    internal const int LongBytes = (1 << 20) + 12_345;

    private readonly TemporaryFolder _folder = new();

    internal TestDatabase(bool isClosed = true)
    {
        string path = isClosed ? Path : System.IO.Path.Combine(_folder.Path, "open");
        using StorageEnvironment environment = StorageEnvironment.Open(path, new StorageOptions { PageSize = PageBytes });
        Fill(environment);
        if (!isClosed)
        {
            // What a killed process leaves: everything since the first open stands in the journal only.
            CopyTo(path, Path);
        }
    }

    internal string Path => System.IO.Path.Combine(_folder.Path, "db");

    internal string DataFile => System.IO.Path.Combine(Path, "data.voron");

    /// <summary>A path beside the database.</summary>
    internal string Beside(string name) => System.IO.Path.Combine(_folder.Path, name);

    internal string Chunk(string suffix) => Directory.GetFiles(System.IO.Path.Combine(Path, "journal"), "*" + suffix).Order().First();

    internal static string Key(int number) => $"u{number:d4}";

    internal static byte[] Long() => [.. Enumerable.Range(0, LongBytes).Select(static i => (byte)(i * 7))];

    /// <summary>Inverts one byte.</summary>
    internal static void Flip(string file, long offset)
    {
        using FileStream stream = new(file, FileMode.Open, FileAccess.ReadWrite);
        stream.Position = offset;
        int old = stream.ReadByte();
        stream.Position = offset;
        stream.WriteByte((byte)~old);
    }

    internal static void Cut(string file, long bytes)
    {
        using FileStream stream = new(file, FileMode.Open, FileAccess.ReadWrite);
        stream.SetLength(bytes);
    }

    /// <summary>The first page of which the tool says that it is such one and has an entry with this key.</summary>
    internal long PageWith(PageContent content, string key)
    {
        long pages = new FileInfo(DataFile).Length / PageBytes;
        for (long page = 2; page < pages; page++)
        {
            PageReport report = StorageInspection.ReadPage(Path, page);
            if (report.Content == content && report.Entries.Any(entry => entry.Key.Span.SequenceEqual(Encoding.UTF8.GetBytes(key))))
            {
                return page;
            }
        }

        throw new InvalidOperationException($"No {content} page has the key '{key}'.");
    }

    public void Dispose() => _folder.Dispose();

    private static void Fill(StorageEnvironment environment)
    {
        for (int i = 0; i < Users; i += 100)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree users = transaction.OpenTree("users");
            for (int j = i; j < i + 100; j++)
            {
                users.Put(Encoding.UTF8.GetBytes(Key(j)), Encoding.UTF8.GetBytes($"user number {j}"));
            }

            transaction.Commit();
        }

        using WriteTransaction last = environment.BeginWrite();
        Tree blobs = last.OpenTree("blobs");
        blobs.Put("short"u8, "a few bytes"u8);
        blobs.Put("run"u8, new byte[20_000]);
        PipeWriter writer = blobs.OpenValueWriter("stream"u8);
        writer.WriteAsync(Long()).AsTask().GetAwaiter().GetResult();
        writer.Complete();
        last.OpenTree("odd").Put([0, 1, 0xFF], [0xC0, 0xC1]);
        last.OpenTree("empty");
        last.Commit();
    }

    private static void CopyTo(string from, string to)
    {
        string[] files = Directory.GetFiles(from, "*", SearchOption.AllDirectories);
        foreach (string file in files.Where(static file => !file.Contains("spare-", StringComparison.Ordinal)))
        {
            string target = System.IO.Path.Combine(to, System.IO.Path.GetRelativePath(from, file));
            Directory.CreateDirectory(System.IO.Path.GetDirectoryName(target)!);
            using FileStream source = new(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            using FileStream copy = new(target, FileMode.Create);
            source.CopyTo(copy);
        }
    }
}
