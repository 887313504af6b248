using System.IO.Pipelines;

namespace Voron.Storage.Tests.Transfer;

internal static class ValueWriting
{
    /// <summary>Writes a value and completes the writer.</summary>
    internal static void WriteWhole(this PipeWriter writer, byte[] value)
    {
        writer.WriteAsync(value).AsTask().GetAwaiter().GetResult();
        writer.Complete();
    }
}
