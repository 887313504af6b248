namespace Voron.Storage.Replication.Core;

/// <summary>Which part of a batch an entry is.</summary>
[Flags]
internal enum EntryFlags : byte
{
    None = 0,
    First = 1,
    Last = 2,
    Whole = First | Last,
}
