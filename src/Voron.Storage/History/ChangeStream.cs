using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>
/// Writes the changes after a transaction to a pipe: each transaction as its results, without what it undid, and with the values that its
/// records only name.
/// </summary>
internal sealed class ChangeStream : IDisposable
{
    private readonly Database _database;
    private readonly TransactionId _after;
    private readonly CancellationToken _cancellation;
    private readonly FrameWriter _frames;
    private readonly TransactionWriter _writer;
    private readonly ChangeReader _reader;
    private readonly PlacedContent _placed;
    private byte[] _part = [];
    private long _operation;
    private long _transactions;

    internal ChangeStream(Database database, long after, PipeWriter pipe, CancellationToken cancellation)
    {
        ChangeFeed.CheckAfter(database, after);
        database.Parts.Session.Redo.Times?.Want();
        _database = database;
        _after = new TransactionId(after);
        _cancellation = cancellation;
        _frames = new FrameWriter(pipe, database.Options.TimeProvider, 0, cancellation);
        _writer = new TransactionWriter(_frames);
        _reader = new ChangeReader(database.Parts.Files, _after);
        _placed = new PlacedContent(database.Parts.Files.Disk, database.Parts.File.Path, database.Parts.File.PageBytes);
    }

    /// <summary>Writes what is durable now and ends the stream or, if asked to, follows until it is cancelled.</summary>
    internal async ValueTask<BackupReport> RunAsync(bool follows)
    {
        _cancellation.ThrowIfCancellationRequested();
        TransactionId end = _database.Parts.Pipeline.LastDurable;
        end = TransactionId.Max(end, _after);
        StreamHead head = StreamHead.Of(_database, _database.Options.TimeProvider) with
        {
            After = _after, Last = follows ? TransactionId.None : end,
        };
        _frames.Write(FrameKind.Head, head);
        while (true)
        {
            await WriteUpToAsync(end).ConfigureAwait(false);
            if (!follows)
            {
                break;
            }

            await _frames.FlushAsync().ConfigureAwait(false);
            _reader.Listen();
            Task more = _database.Parts.Pipeline.WaitForDurable(_reader.Last);
            _database.ThrowIfDisposed();
            await more.WaitAsync(_cancellation).ConfigureAwait(false);
            end = _database.Parts.Pipeline.LastDurable;
        }

        _frames.Write(FrameKind.End, new StreamEnd { Last = end, Transactions = _transactions });
        await _frames.FlushAsync().ConfigureAwait(false);
        return new BackupReport(end.Value, head.Guid, IsFull: false, _transactions, Pages: 0, _frames.Bytes);
    }

    public void Dispose()
    {
        _reader.Dispose();
        _placed.Dispose();
    }

    private async ValueTask WriteUpToAsync(TransactionId end)
    {
        while (_reader.TryRead(end))
        {
            _cancellation.ThrowIfCancellationRequested();
            _database.ThrowIfDisposed();
            await WriteTransactionAsync().ConfigureAwait(false);
            _transactions++;
        }
    }

    private async ValueTask WriteTransactionAsync()
    {
        _writer.Begin(_reader.Last, _reader.Ticks);
        _operation = -1;
        for (int i = 0; i < _reader.Parts; i++)
        {
            int bytes = Load(i);
            for (int at = i == 0 ? 1 : 0; at < bytes;)
            {
                PlacedRun[]? runs = Copy(ref at, bytes, out byte[] key);
                if (runs is not null)
                {
                    foreach (PlacedRun run in runs)
                    {
                        await _writer.WriteRunAsync(_placed.Read(_reader.Last, run)).ConfigureAwait(false);
                    }

                    _writer.Redo.PutPlaced(key, runs);
                }

                await _writer.WriteIfLongAsync().ConfigureAwait(false);
            }
        }

        await _writer.EndAsync().ConfigureAwait(false);
    }

    /// <summary>Copies a part out of the reader, which reads others meanwhile, and returns its length.</summary>
    private int Load(int index)
    {
        ReadOnlySpan<byte> body = _reader.Part(index);
        if (_part.Length < body.Length)
        {
            _part = GC.AllocateUninitializedArray<byte>(body.Length);
        }

        body.CopyTo(_part);
        return body.Length;
    }

    /// <summary>Copies operations until much is copied, or up to one whose value is elsewhere, which it returns.</summary>
    private PlacedRun[]? Copy(ref int at, int bytes, out byte[] key)
    {
        const int StepBytes = 64 << 10;
        int end = at + StepBytes;
        RedoReader redo = new(_part.AsSpan(at, bytes - at), isFirst: false);
        while (at < end && redo.MoveNext())
        {
            at = bytes - redo.RestBytes;
            _operation++;
            if (_reader.Undone?.Contains(_operation) == true)
            {
                continue;
            }

            if (redo.Operation == RedoOperation.PutPlaced)
            {
                key = redo.Key.ToArray();
                return redo.Runs;
            }

            Copy(redo);
        }

        key = [];
        return null;
    }

    private void Copy(in RedoReader redo)
    {
        switch (redo.Operation)
        {
            case RedoOperation.SelectTree:
                _writer.Redo.SelectTree(redo.Key);
                break;
            case RedoOperation.Put:
                _writer.Redo.Put(redo.Key, redo.Value);
                break;
            case RedoOperation.Delete:
                _writer.Redo.Delete(redo.Key);
                break;
            case RedoOperation.DeleteRange:
                _writer.Redo.DeleteRange(redo.Key, redo.Value);
                break;
            case RedoOperation.DeletePair:
                _writer.Redo.DeletePair(redo.Key, redo.Value);
                break;
            case RedoOperation.CreateTreeOf:
                _writer.Redo.CreateTreeOf(redo.Shape, redo.Key);
                break;
            case RedoOperation.CreateTree:
                _writer.Redo.CreateTree(redo.Shape.Kind, redo.Key);
                break;
            case RedoOperation.DropTree:
                _writer.Redo.DropTree(redo.Key);
                break;
            case RedoOperation.RenameTree:
                _writer.Redo.RenameTree(redo.Key, redo.Value);
                break;
            case RedoOperation.Savepoint or RedoOperation.RollbackTo or RedoOperation.Release or RedoOperation.Time:
                break;
            default:
                Throw.BadOperation(_reader.Last, redo.Operation);
                break;
        }
    }
}
