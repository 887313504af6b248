namespace Voron.Simulation;

/// <summary>The calls of the disk seam; flags, so that a fault can name several.</summary>
[Flags]
internal enum SimCallKind
{
    None = 0,
    CreateDirectory = 1,
    OpenFile = 2,
    Rename = 4,
    Delete = 8,
    ListFiles = 16,
    SyncDirectory = 32,
    GetLength = 64,
    Read = 128,
    Write = 256,
    SyncData = 512,
    SetLength = 1024,
    Allocate = 2048,
    Map = 4096,
    TryLock = 8192,
    FillRandom = 16384,
    WriteOut = 32768,
    Punch = 65536,

    /// <summary>Calls that change what a power cut could leave behind.</summary>
    Changing = CreateDirectory | OpenFile | Rename | Delete | SyncDirectory | Write | SyncData | SetLength | Allocate | Punch,
    Any = 131071,
}
