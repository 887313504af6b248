using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Transfer;

/// <summary>The exceptions of dumps, loads and copies.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void BadLine(long line, string what) => throw new DumpFormatException($"Line {line}: {what}", line);

    [DoesNotReturn]
    internal static void BadJson(long line, Exception error) => throw new DumpFormatException(
        $"Line {line} is not valid JSON: {error.Message} JSON lines have one whole object in each line.", line, error);

    [DoesNotReturn]
    internal static void KeyTooLong(long line, long length, int limit) => throw new DumpFormatException(
        $"Line {line}: the key has {length} bytes or more, and this database takes keys of at most {limit}. "
        + "Load into a database with larger pages (StorageOptions.PageSize).",
        line,
        new KeyTooLongException(length, limit));

    [DoesNotReturn]
    internal static void PairTooLong(long line, int keyBytes, int valueBytes, int limit) => throw new DumpFormatException(
        $"Line {line}: the key has {keyBytes} bytes and its value {valueBytes} or more; a multi-value tree of this database takes pairs "
        + $"of at most {limit} bytes. Load into a database with larger pages (StorageOptions.PageSize).",
        line,
        new KeyTooLongException((long)keyBytes + valueBytes, limit));

    [DoesNotReturn]
    internal static void NotAscending(long line, ReadOnlySpan<byte> key) => throw new DumpFormatException(
        $"Line {line}: key '{KeyText.Of(key)}' is not greater than the last key of the tree. Load without the option Append.", line);

    [DoesNotReturn]
    internal static void Incomplete(long line, string what) => throw new DumpFormatException(
        $"Line {line}: the input ends {what}, so the dump was cut off. Dump again, and look at the errors of the command that dumps.",
        line);

    [DoesNotReturn]
    internal static void Refused(long line, string what) => throw new DumpFormatException(
        $"Line {line} of the dump: {what}; mdb_load would refuse it. Dump without the option Strict, or change the entry.", line);

    [DoesNotReturn]
    internal static void OccupiedTarget(string path) => throw new ArgumentException(
        $"There are files in '{path}'. A copy is made in a new or empty folder: choose another one.");

    [DoesNotReturn]
    internal static void PipeClosed() => throw new StorageIOException(
        "The reader of the pipe completed before the dump was written to its end. Read the dump until the call returns.",
        "write",
        "the pipe",
        0);

    [DoesNotReturn]
    internal static void ReadCancelled() => throw new OperationCanceledException(
        "The pending read or flush of the pipe was cancelled; nothing of the open transaction was committed.");
}
