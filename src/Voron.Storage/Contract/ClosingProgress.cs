namespace Voron.Storage;

/// <summary>How far a close has come with its checkpoint.</summary>
/// <param name="BytesWritten">Bytes of pages written so far.</param>
/// <param name="Bytes">Bytes of pages that it writes, each page that replaces an older one twice.</param>
public readonly record struct ClosingProgress(long BytesWritten, long Bytes);
