using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage.History;

/// <summary>
/// The changes of an open database after a transaction, in order: what is durable, and then what becomes durable. Reads while it is asked,
/// and keeps nothing of the database from closing in between.
/// </summary>
internal sealed class ChangeFeed : IDisposable
{
    private static readonly TimeSpan SignOfLife = TimeSpan.FromSeconds(1);

    private readonly Database _database;
    private readonly ChangeReader _reader;
    private readonly PlacedContent _placed;
    private readonly ChangeRules _rules;
    private readonly TimeProvider _time;
    private long _lastShown;

    internal ChangeFeed(Database database, long after, ChangeFilter? filter)
    {
        database.Parts.Session.Redo.Times?.Want();
        _database = database;
        _time = database.Options.TimeProvider;
        _rules = new ChangeRules(filter);
        _reader = new ChangeReader(database.Parts.Files, new TransactionId(after));
        _placed = new PlacedContent(database.Parts.Files.Disk, database.Parts.File.Path, database.Parts.File.PageBytes);
        Changes = new TransactionChanges(_reader, _placed, _rules);
        _lastShown = _time.GetTimestamp();
    }

    /// <summary>The changes of the transaction that <see cref="TryNext"/> came to.</summary>
    internal TransactionChanges Changes { get; }

    /// <summary>Refuses a transaction that the database does not have yet.</summary>
    internal static void CheckAfter(Database database, long after)
    {
        database.ThrowIfDisposed();
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        TransactionId newest = database.Parts.Pipeline.LastSealed;
        if (after > newest.Value)
        {
            Throw.AfterNewest(after, newest);
        }
    }

    /// <summary>Goes to the next durable transaction of which the filter shows anything; false if there is none yet.</summary>
    internal bool TryNext(CancellationToken cancellation)
    {
        // The environment does not close while a reader is registered.
        ReaderSlot slot = _database.BeginRead();
        long occupant = slot.Occupant;
        try
        {
            while (_reader.TryRead(_database.Parts.Pipeline.LastDurable))
            {
                cancellation.ThrowIfCancellationRequested();
                Changes.Load();
                if (Changes.HasAny() || (_rules.IncludesEmpty && _time.GetElapsedTime(_lastShown) >= SignOfLife))
                {
                    _lastShown = _time.GetTimestamp();
                    return true;
                }
            }

            return false;
        }
        finally
        {
            slot.Release(occupant);
        }
    }

    /// <summary>Returns when more is durable, or the environment closes.</summary>
    internal async ValueTask WaitAsync(CancellationToken cancellation)
    {
        _reader.Listen();
        Task more = _database.Parts.Pipeline.WaitForDurable(_reader.Last);

        // A close that began before the line above wakes nothing.
        _database.ThrowIfDisposed();
        await more.WaitAsync(cancellation).ConfigureAwait(false);
    }

    public void Dispose()
    {
        _reader.Dispose();
        _placed.Dispose();
    }
}
