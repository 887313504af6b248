namespace Voron.Storage.History;

/// <summary>The kinds of frames of a stream; docs/backup.md describes them.</summary>
internal enum FrameKind : uint
{
    None = 0,

    /// <summary>The first frame: a <see cref="StreamHead"/>.</summary>
    Head = 1,

    /// <summary>A <see cref="RecordsHead"/> and a part of the redo of a transaction.</summary>
    Records = 2,

    /// <summary>A <see cref="PlacedHead"/> and bytes of a value that a later frame of the transaction puts.</summary>
    Placed = 3,

    /// <summary>The last frame: a <see cref="StreamEnd"/>. Without it the stream is incomplete.</summary>
    End = 4,

    /// <summary>Before the other frames of a transaction: a <see cref="TransactionTime"/>.</summary>
    Time = 5,
}
