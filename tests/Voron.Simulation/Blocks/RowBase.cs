using FluentAssertions;
using Voron.Simulation.Faults;
using Voron.Storage;

namespace Voron.Simulation.Blocks;

/// <summary>A database of numbered rows on a real file system, which remembers what was acknowledged.</summary>
internal sealed class RowBase(string folder) : IDisposable
{
    private const int ValueBytes = 100;
    private StorageEnvironment? _environment;
    private ReadTransaction? _reader;

    internal bool IsOpen => _environment is not null;

    /// <summary>Rows 0 … this − 1 are acknowledged.</summary>
    internal int Acknowledged { get; private set; }

    /// <summary>Rows of the commit that is under way, or whose outcome nobody knows.</summary>
    internal int Maybe { get; private set; }

    internal StorageEnvironment Environment => _environment!;

    internal void Open() =>
        _environment = StorageEnvironment.Open(folder, new StorageOptions
        {
            Engine = new() { Background = false, MemoryBytes = 0 },
            PageSize = 4096, CreateIfMissing = true,
        });

    internal void Commit(int rows)
    {
        Maybe = rows;
        Put(Acknowledged, rows);
        Acknowledged += rows;
        Maybe = 0;
    }

    /// <summary>Commits every row again with the value that it has: all leaves get new versions.</summary>
    internal void Rewrite() => Put(0, Acknowledged);

    /// <summary>Commits the first row again, which changes nothing.</summary>
    internal void Overwrite() => Put(0, 1);

    internal void Checkpoint() => Environment.Checkpoint();

    internal void HoldReader() => _reader = Environment.BeginRead();

    internal void ReleaseReader()
    {
        _reader?.Dispose();
        _reader = null;
    }

    /// <summary>Exactly what was acknowledged is there, or with it, as a whole, the commit whose outcome is unknown.</summary>
    internal void ExpectHere(string where)
    {
        int found = NumberedRows.Read(Environment);
        found.Should().BeOneOf([Acknowledged, Acknowledged + Maybe], where);
        Environment.Check().Findings.Should().BeEmpty(where);
    }

    /// <summary>From here on the outcome is known: what is there stays there.</summary>
    internal void Settle()
    {
        Acknowledged = NumberedRows.Read(Environment);
        Maybe = 0;
    }

    internal void Close()
    {
        ReleaseReader();
        StorageEnvironment? environment = _environment;
        _environment = null;
        environment?.Dispose();
    }

    public void Dispose() => Close();

    private void Put(int from, int rows)
    {
        using WriteTransaction transaction = Environment.BeginWrite();
        NumberedRows.Put(transaction, Enumerable.Range(from, rows), ValueBytes);
        transaction.Commit();
    }
}
