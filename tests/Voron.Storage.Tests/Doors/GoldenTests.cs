using System.Globalization;
using System.IO.Compression;
using System.Text;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Databases of the present format, kept as files: whoever changes the format without meaning to finds them unreadable.
/// VORON_WRITE_GOLDEN=1 makes them anew in the source
/// tree; that is right only when the format version changes as well, or before the first release.
/// </summary>
public class GoldenTests
{
    public static TheoryData<string> Names =>
        ["clean-4096", "clean-8192", "clean-65536", "killed-4096", "killed-8192", "deferred-4096", "multi-4096", "fixed-4096"];

    [Theory]
    [MemberData(nameof(Names))]
    public void Opens_with_the_listed_content(string name)
    {
        if (Environment.GetEnvironmentVariable("VORON_WRITE_GOLDEN") == "1")
        {
            Write(name);
        }

        using TemporaryFolder folder = new();
        ZipFile.ExtractToDirectory(Path.Combine(Folder(), name + ".zip"), folder.Path);
        string expected = File.ReadAllText(Path.Combine(Folder(), name + ".txt")).ReplaceLineEndings("\n");
        for (int opening = 0; opening < 2; opening++)
        {
            using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
            environment.GetReport().PageBytes.Should().Be(PageBytesOf(name));
            List(environment).Should().Be(expected);
            environment.Check().Findings.Should().BeEmpty();
            if (opening == 0)
            {
                environment.GetReport().CheckpointTransactionId.Should().Match(id => name.StartsWith("clean") ? id == 4 : id < 4);
                environment.Checkpoint();
            }
        }
    }

    [Fact]
    public void All_of_them_are_small() =>
        Directory.GetFiles(Folder(), "*.zip").Sum(static path => new FileInfo(path).Length).Should().BeInRange(1000, 100 << 10);

    private static int PageBytesOf(string name) => int.Parse(name[(name.IndexOf('-') + 1)..], CultureInfo.InvariantCulture);

    /// <summary>The folder in the source tree: builds may hide their paths, so it is found from where the test runs.</summary>
    private static string Folder()
    {
        DirectoryInfo? root = new(AppContext.BaseDirectory);
        while (root is not null && !File.Exists(Path.Combine(root.FullName, "Voron.sln")))
        {
            root = root.Parent;
        }

        // A build elsewhere takes them along.
        return root is null
            ? Path.Combine(AppContext.BaseDirectory, "Golden")
            : Path.Combine(root.FullName, "tests", "Voron.Storage.Tests", "Golden");
    }

    /// <summary>Four transactions; a checkpoint behind the second; a reader held over it and another one for the deferred kind.</summary>
    private static void Write(string name)
    {
        using TemporaryFolder live = new();
        using TemporaryFolder kept = new();
        StorageEnvironment environment = StorageEnvironment.Open(live.Path, new StorageOptions { PageSize = PageBytesOf(name) });
        for (int round = 0; round < 2; round++)
        {
            Change(environment, round, name);
        }

        environment.Checkpoint();
        ReadTransaction reader = name.StartsWith("deferred", StringComparison.Ordinal) ? environment.BeginRead() : default;
        Change(environment, 2, name);
        if (reader != default)
        {
            environment.Checkpoint();
        }

        Change(environment, 3, name);
        if (name.StartsWith("clean", StringComparison.Ordinal))
        {
            environment.Dispose();
        }

        TemporaryFolder.Copy(live.Path, kept.Path);
        File.WriteAllText(Path.Combine(Folder(), name + ".txt"), ListOf(environment, live.Path));
        reader.Dispose();
        environment.Dispose();

        // Nothing but zeros stands in spares, and they are deleted at the next opening.
        Array.ForEach(Directory.GetFiles(Sample.Journal(kept), "spare-*"), File.Delete);
        Directory.CreateDirectory(Folder());
        string zip = Path.Combine(Folder(), name + ".zip");
        File.Delete(zip);
        ZipFile.CreateFromDirectory(kept.Path, zip, CompressionLevel.SmallestSize, includeBaseDirectory: false);
    }

    private static void Change(StorageEnvironment environment, int round, string name)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree numbers = transaction.OpenTree("numbers");
        for (int i = 0; i < 60; i++)
        {
            numbers.Put(Bytes($"key {(i * 37) + (round * 5) % 100:D5}"), Bytes(new string((char)('a' + round), 40 + i)));
        }

        numbers.Delete(Bytes($"key {round * 37:D5}"));
        numbers.Put(Bytes("large"), Bytes(new string((char)('A' + round), 20_000 + (round * 10_000))));
        numbers.Put(default, default);
        transaction.OpenTree([0, 255, (byte)round]).Put(Bytes("round"), Bytes(round.ToString(CultureInfo.InvariantCulture)));
        if (round == 1)
        {
            transaction.OpenTree("dropped").Put(Bytes("k"), Bytes("v"));
        }

        if (round == 2)
        {
            transaction.DropTree("dropped");
        }

        if (name.StartsWith("multi", StringComparison.Ordinal))
        {
            ChangePairs(transaction.OpenMultiTree("any"), round);
            ChangePairs(transaction.OpenMultiTree("eight", valueBytes: 8), round);
        }

        if (name.StartsWith("fixed", StringComparison.Ordinal))
        {
            ChangeFixed(transaction.OpenFixedTree<long>("long", 8), round, static number => number);
            ChangeFixed(transaction.OpenFixedTree<ulong>("ulong", 0), round, static number => (ulong)number << 50);
            ChangeFixed(transaction.OpenFixedTree<double>("double", 20), round, static number => number / -8.0);
            ChangeFixed(transaction.OpenFixedTree<Guid>("guid", 1), round, static number => new Guid(7, (short)number, 1, new byte[8]));
        }

        transaction.Commit();
    }

    /// <summary>Entries that fill several blocks, of which a range goes later.</summary>
    private static void ChangeFixed<TKey>(FixedTree<TKey> tree, int round, Func<long, TKey> keyOf)
        where TKey : unmanaged
    {
        byte[] value = new byte[tree.ValueSize];
        for (int i = 0; i < 300; i++)
        {
            Array.Fill(value, (byte)(i + round));
            tree.Put(keyOf((i * 37) % 301 * 3), value);
        }

        tree.DeleteRange(keyOf(100 * round), keyOf((100 * round) + 50));
    }

    /// <summary>Values of eight bytes in both trees; what is stored of them differs.</summary>
    private static void ChangePairs(MultiTree tree, int round)
    {
        for (int i = 0; i < 300; i++)
        {
            tree.Add(i % 3 == 0 ? [0] : Bytes($"key {i % 3}"), Bytes($"{((i * 37) + (round * 5)) % 1000:D8}"));
        }

        tree.Delete([0], Bytes($"{round * 5:D8}"));
        tree.Add(Bytes($"only {round}"), Bytes("12345678"));
        tree.DeleteAll(Bytes($"only {round - 2}"));
    }

    private static string ListOf(StorageEnvironment environment, string path)
    {
        try
        {
            return List(environment);
        }
        catch (ObjectDisposedException)
        {
            using StorageEnvironment again = StorageEnvironment.Open(path);
            return List(again);
        }
    }

    /// <summary>One line for each entry: tree, key, length of the value, its first bytes and the sum of all.</summary>
    private static string List(StorageEnvironment environment)
    {
        StringBuilder text = new();
        using ReadTransaction transaction = environment.BeginRead();
        text.Append(CultureInfo.InvariantCulture, $"transaction {transaction.TransactionId}\n");
        foreach (byte[] name in (byte[][])[[0, 255, 0], [0, 255, 1], [0, 255, 2], [0, 255, 3], Bytes("dropped"), Bytes("numbers")])
        {
            if (!transaction.TryOpenTree(name, out ReadTree tree))
            {
                continue;
            }

            text.Append(CultureInfo.InvariantCulture, $"tree {Convert.ToHexString(name)} {tree.Count}\n");
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                long sum = 0;
                foreach (byte one in value)
                {
                    sum += one;
                }

                string start = Encoding.ASCII.GetString(value[..Math.Min(8, value.Length)]);
                text.Append(CultureInfo.InvariantCulture, $"'{Encoding.ASCII.GetString(key)}' {value.Length} '{start}' {sum}\n");
            }
        }

        foreach (string name in (string[])["any", "eight"])
        {
            if (transaction.TryOpenMultiTree(name, out ReadMultiTree tree))
            {
                text.Append(CultureInfo.InvariantCulture, $"multi {name} {tree.ValueBytes} {tree.Count}\n");
                foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
                {
                    text.Append(CultureInfo.InvariantCulture, $"{Convert.ToHexString(key)} '{Encoding.ASCII.GetString(value)}'\n");
                }
            }
        }

        ListFixed<long>(text, transaction, "long");
        ListFixed<ulong>(text, transaction, "ulong");
        ListFixed<double>(text, transaction, "double");
        ListFixed<Guid>(text, transaction, "guid");
        return text.ToString();
    }

    private static void ListFixed<TKey>(StringBuilder text, ReadTransaction transaction, string name)
        where TKey : unmanaged
    {
        if (transaction.TryOpenFixedTree(name, out ReadFixedTree<TKey> tree))
        {
            text.Append(CultureInfo.InvariantCulture, $"fixed {name} {tree.ValueSize} {tree.Count}\n");
            foreach ((TKey key, ReadOnlySpan<byte> value) in tree)
            {
                text.Append(CultureInfo.InvariantCulture, $"{key} {Convert.ToHexString(value)}\n");
            }
        }
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
