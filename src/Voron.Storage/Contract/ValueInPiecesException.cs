namespace Voron.Storage;

/// <summary>The value was written by a value writer and is too long for one span; <c>TryOpenValueReader</c> reads it.</summary>
public sealed class ValueInPiecesException : StorageException
{
    internal ValueInPiecesException(string message)
        : base(message)
    {
    }
}
