using System.IO.Pipelines;

namespace Voron.Storage.Tests.History;

/// <summary>Streams of backups and changes in memory.</summary>
internal static class Streams
{
    internal static async Task<(byte[] Bytes, BackupReport Report)> FullAsync(StorageEnvironment environment)
    {
        using MemoryStream stream = new();
        BackupReport report = await environment.BackupAsync(PipeWriter.Create(stream));
        return (stream.ToArray(), report);
    }

    internal static async Task<(byte[] Bytes, BackupReport Report)> ChangesAsync(StorageEnvironment environment, long after)
    {
        using MemoryStream stream = new();
        BackupReport report = await environment.BackupChangesAsync(PipeWriter.Create(stream), after);
        return (stream.ToArray(), report);
    }

    internal static PipeReader Reader(byte[] stream, int bytes = -1) =>
        PipeReader.Create(new MemoryStream(stream, 0, bytes < 0 ? stream.Length : bytes));

    internal static async Task<RestoreReport> RestoreAsync(string path, RestoreOptions? options, params byte[][] streams) =>
        await StorageBackup.RestoreAsync(path, [.. streams.Select(static stream => Reader(stream))], options);
}
