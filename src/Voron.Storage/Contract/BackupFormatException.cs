namespace Voron.Storage;

/// <summary>A stream of a backup or of changes is damaged, incomplete, or not one of this engine. Nothing was made of it.</summary>
public sealed class BackupFormatException : StorageException
{
    internal BackupFormatException(string message, long frame, Exception? inner = null)
        : base(message, inner) => Frame = frame;

    /// <summary>Number of the frame of the stream, from 0; −1 if it is not one frame.</summary>
    public long Frame { get; }
}
