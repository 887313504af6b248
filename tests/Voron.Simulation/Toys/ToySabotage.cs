namespace Voron.Simulation.Toys;

/// <summary>Ways to break the toy log; the crash tests must notice every one of them.</summary>
[Flags]
internal enum ToySabotage
{
    None = 0,

    /// <summary>Commits are written and never forced out.</summary>
    NoSync = 1,

    /// <summary>A commit is acknowledged and written with the next one.</summary>
    AckBeforeWrite = 2,

    NoDirectorySync = 4,

    /// <summary>An open shows what a killed predecessor left in the cache without forcing it out.</summary>
    NoSyncAtOpen = 8,

    /// <summary>A record is believed if its length is plausible.</summary>
    NoChecksum = 16,

    /// <summary>A compacted log takes the old one's name before its bytes are forced out.</summary>
    RenameBeforeSync = 32,

    /// <summary>Recovery takes deletes for nothing.</summary>
    ForgetsDeletes = 64,

    /// <summary>Recovery cuts the torn tail off where the log is too long for it, one record too early.</summary>
    LosesLastRecord = 128,

    /// <summary>A file stays open.</summary>
    LeaksFile = 256,

    /// <summary>Nothing ties a record to the one before it, so that the rest of an overwritten tail may come back to life.</summary>
    NoChain = 512,

    /// <summary>The log is emptied before it is written again in its compact form.</summary>
    CompactsInPlace = 1024,

    /// <summary>A commit can be seen before it is written.</summary>
    ShowsEarly = 2048,

    /// <summary>A close leaves a file behind that nobody will ever look at.</summary>
    LeavesLitter = 4096,

    /// <summary>A map outlives the close.</summary>
    LeaksMap = 8192,

    /// <summary>What is written follows from more than the calls.</summary>
    IsMoody = 16384,

    /// <summary>New records go behind a torn tail, where no recovery finds them.</summary>
    WritesBehindTail = 32768,

    /// <summary>Recovery empties the log and writes it again.</summary>
    CompactsAtOpen = 65536,
}
