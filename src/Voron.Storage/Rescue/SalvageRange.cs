using Voron.Storage.Format;

namespace Voron.Storage.Rescue;

/// <summary>Keys of a tree below a page that cannot be read; null ends are open.</summary>
internal sealed record SalvageRange(byte[] Tree, PageNumber Page, byte[]? Low, byte[]? High)
{
    internal bool Contains(ReadOnlySpan<byte> key) =>
        (Low is null || key.SequenceCompareTo(Low) >= 0) && (High is null || key.SequenceCompareTo(High) < 0);

    public override string ToString() => KeyText.Range(Low, High);
}
