namespace Voron.Storage;

/// <summary>The operating system refused a file operation.</summary>
public sealed class StorageIOException : StorageException
{
    internal StorageIOException(string message, string operation, string path, int code, long pageNumber = -1)
        : base(message)
    {
        PageNumber = pageNumber;
        Operation = operation;
        Path = path;
        Code = code;
    }

    /// <summary>The operation that failed, for example "open" or "sync".</summary>
    public string Operation { get; }

    /// <summary>The file or directory.</summary>
    public string Path { get; }

    /// <summary>The operating system's error code (errno on Unix, GetLastError on Windows).</summary>
    public int Code { get; }

    /// <summary>The unreadable page of the data file, or −1 if the error does not concern one page. Other pages stay readable.</summary>
    public long PageNumber { get; }
}
