using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Transfer;

/// <summary>Dumps and loads of whole texts.</summary>
internal static class Dumps
{
    internal const string Head = "VERSION=3\nformat=bytevalue\ndatabase=t\ntype=btree\nHEADER=END\n";

    internal static byte[] Of(StorageEnvironment environment, DumpOptions? options = null)
    {
        using MemoryStream stream = new();
        StorageDump.WriteAsync(environment, PipeWriter.Create(stream), options).AsTask().GetAwaiter().GetResult();
        return stream.ToArray();
    }

    internal static string TextOf(StorageEnvironment environment, DumpOptions? options = null) =>
        Encoding.UTF8.GetString(Of(environment, options));

    /// <summary>Loads a text that the pipe gives in blocks of this many bytes.</summary>
    internal static LoadReport Load(
        StorageEnvironment environment,
        byte[] dump,
        LoadOptions? options = null,
        int blockBytes = 4096,
        IProgress<LoadProgress>? progress = null)
    {
        PipeReader reader = PipeReader.Create(
            new MemoryStream(dump), new StreamPipeReaderOptions(bufferSize: blockBytes, minimumReadSize: 1));
        return StorageDump.LoadAsync(environment, reader, options, progress).AsTask().GetAwaiter().GetResult();
    }

    internal static LoadReport Load(StorageEnvironment environment, string dump, LoadOptions? options = null) =>
        Load(environment, Encoding.Latin1.GetBytes(dump), options);

    /// <summary>All entries of a tree, each as key and value in hexadecimal digits; one text for the whole tree.</summary>
    internal static string Entries(StorageEnvironment environment, string tree)
    {
        using ReadTransaction transaction = environment.BeginRead();
        return transaction.TryOpenTree(tree, out ReadTree read) ? Entries(read) : "none";
    }

    /// <summary>All entries of all trees.</summary>
    internal static string Entries(StorageEnvironment environment)
    {
        StringBuilder all = new();
        using ReadTransaction transaction = environment.BeginRead();
        foreach (byte[] name in transaction.TreeNameBytes)
        {
            all.Append(Convert.ToHexString(name)).Append(": ").AppendLine(Entries(transaction.OpenTree(name)));
        }

        return all.ToString();
    }

    private static string Entries(ReadTree tree)
    {
        List<string> entries = [];
        foreach (TreeEntry entry in tree)
        {
            entries.Add($"{Convert.ToHexStringLower(entry.Key)}={Shorten(Whole(entry))}");
        }

        return string.Join(' ', entries);
    }

    /// <summary>A value of any length.</summary>
    internal static byte[] Whole(TreeEntry entry)
    {
        PipeReader reader = entry.OpenValueReader();
        using MemoryStream all = new();
        reader.CopyToAsync(all).GetAwaiter().GetResult();
        reader.Complete();
        return all.ToArray();
    }

    private static string Shorten(byte[] value) => value.Length <= 1000
        ? Convert.ToHexStringLower(value)
        : $"{value.Length}:{Convert.ToHexStringLower(System.Security.Cryptography.SHA256.HashData(value))}";
}
