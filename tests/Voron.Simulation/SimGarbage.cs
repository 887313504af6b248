namespace Voron.Simulation;

/// <summary>What a power cut leaves where a file's new length became durable and its new bytes did not.</summary>
internal enum SimGarbage
{
    Zeros,
    Random,

    /// <summary>Bytes that another file has at the same place: blocks that were its own before.</summary>
    OtherFile,
}
