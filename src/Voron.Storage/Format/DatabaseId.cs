namespace Voron.Storage.Format;

/// <summary>
/// 128 random bits, written once when a database is created; every chunk and header carries them, so files of another database never
/// pass.
/// </summary>
internal readonly record struct DatabaseId(ulong Low, ulong High)
{
    public override string ToString() => $"{High:x16}{Low:x16}";
}
