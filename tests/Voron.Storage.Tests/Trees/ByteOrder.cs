namespace Voron.Storage.Tests.Trees;

/// <summary>The order of keys: unsigned bytes, the shorter first.</summary>
internal sealed class ByteOrder : IComparer<byte[]>
{
    internal static ByteOrder Instance { get; } = new();

    public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);
}
