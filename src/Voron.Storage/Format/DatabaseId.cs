namespace Voron.Storage.Format;

/// <summary>
/// 128 random bits, written once when a database is created; every chunk and header carries them, so files of another database never
/// pass.
/// </summary>
internal readonly record struct DatabaseId(ulong Low, ulong High)
{
    private uint Tag => (uint)(Low ^ (Low >> 32) ^ High ^ (High >> 32));

    /// <summary>A chunk's salt: its high half says whose, its low half is random.</summary>
    internal ulong MakeSalt(uint random) => ((ulong)Tag << 32) | random;

    /// <summary>
    /// Records may outlive their chunk's header; then their salt says when they are of another database. Without an id nothing is said.
    /// </summary>
    internal bool MayOwn(ulong salt) => this == default || (uint)(salt >> 32) == Tag;

    public override string ToString() => $"{High:x16}{Low:x16}";
}
