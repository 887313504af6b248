namespace Voron.Storage.Format;

/// <summary>Flags of a commit record. Exactly one of <see cref="Commit"/> and <see cref="Fragment"/> is set.</summary>
[Flags]
internal enum RecordFlags : uint
{
    None = 0,
    Commit = 1,
    Fragment = 2,
    Compressed = 4,
    Encrypted = 8,
}
