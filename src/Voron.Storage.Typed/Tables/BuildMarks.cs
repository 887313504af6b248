namespace Voron.Storage.Typed.Tables;

/// <summary>
/// The builds that are going on in this process, which writers tell of the rows that they change. A build looks again at such a row, so
/// that being told too much (of another database with such a table, or by a transaction that is rolled back) does no harm.
/// </summary>
internal static class BuildMarks
{
    private static readonly Lock Gate = new();
    private static BuildPass[] _passes = [];

    internal static void Add(BuildPass pass)
    {
        lock (Gate)
        {
            Volatile.Write(ref _passes, [.. _passes, pass]);
        }
    }

    internal static void Remove(BuildPass pass)
    {
        lock (Gate)
        {
            Volatile.Write(ref _passes, [.. _passes.Where(other => other != pass)]);
        }
    }

    /// <summary>A row is about to be changed.</summary>
    internal static void Mark(string table, ReadOnlySpan<byte> primaryKey)
    {
        foreach (BuildPass pass in Volatile.Read(ref _passes))
        {
            if (pass.Table == table)
            {
                pass.Mark(primaryKey);
            }
        }
    }

    /// <summary>All rows of a table are about to vanish.</summary>
    internal static void MarkAll(string table)
    {
        foreach (BuildPass pass in Volatile.Read(ref _passes))
        {
            if (pass.Table == table)
            {
                pass.MarkAll();
            }
        }
    }
}
