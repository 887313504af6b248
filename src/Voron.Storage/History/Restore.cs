using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Transactions;
using Voron.Storage.Transfer;

namespace Voron.Storage.History;

/// <summary>
/// Makes a database of a full backup and the changes after it. Until everything is in it and durable it has another name, so a restore that
/// fails or is killed leaves nothing that looks like a database.
/// </summary>
internal sealed class Restore(RestoreOptions options, IProgress<long>? progress, CancellationToken cancellation)
{
    /// <summary>Memory for pages that are not written yet: little, so that writing them begins while the stream is still read.</summary>
    private const long DirtyBytes = 160L << 20;

    private DatabaseId _source;
    private TransactionId _first;
    private TransactionId _last;
    private long _transactions;
    private bool _hasTimes;
    private bool _needsTimes;

    /// <summary>The last transaction to restore; the first one with a later time than asked for lowers it.</summary>
    private TransactionId _upTo = options.UpToTransaction is { } id ? new TransactionId(id) : TransactionId.AfterAll;

    private long UpToTicks => options.UpToTime?.UtcTicks ?? long.MaxValue;

    internal async ValueTask<RestoreReport> RunAsync(string folder, IReadOnlyList<PipeReader> streams)
    {
        cancellation.ThrowIfCancellationRequested();
        CopyFolder place = new(MakeDisk, folder, ".restoring");
        place.Prepare();
        try
        {
            long bytes = await FillAsync(MakeDisk(), place.Work, streams, End).ConfigureAwait(false);
            if (options.AsFollower)
            {
                FollowerMark.Write(MakeDisk(), place.Work, _source);
            }

            place.Publish();
            return new RestoreReport(TransactionId.Min(_last, _upTo).Value, StreamHead.GuidOf(_source), _transactions, bytes);
        }
        catch
        {
            place.Discard();
            throw;
        }
    }

    /// <summary>Restores into memory and checks all trees and pages of the database.</summary>
    internal async ValueTask<CheckReport> CheckAsync(IReadOnlyList<PipeReader> streams)
    {
        cancellation.ThrowIfCancellationRequested();
        using MemoryDisk disk = new();
        return await FillAsync(disk, new DatabasePaths("/memory"), streams, database => database.Check(null, cancellation))
            .ConfigureAwait(false);
    }

    private static long End(Database database)
    {
        database.Checkpoint();
        return database.GetReport().DataFileBytes;
    }

    private IDisk MakeDisk() => options.Storage.Engine.Disk ?? new NativeDisk();

    /// <summary>Makes the database and returns what is asked about it before it is closed.</summary>
    internal async ValueTask<T> FillAsync<T>(
        IDisk disk, DatabasePaths paths, IReadOnlyList<PipeReader> streams, Func<Database, T> ask)
    {
        FrameReader frames = new(streams[0], cancellation);
        StreamHead head = await frames.ReadHeadAsync().ConfigureAwait(false);
        if (head.IsFull == 0)
        {
            Throw.NotFull();
        }

        bool isPossible = Checkpoints.HeaderSlots.IsPageSize(head.PageBytes) && head.Last >= TransactionId.None
            && head.UtcTicks >= 0 && head.UtcTicks <= DateTime.MaxValue.Ticks;
        if (!isPossible)
        {
            Throw.BadFrame(0, $"it names pages of {head.PageBytes} bytes, transaction {head.Last} and time {head.UtcTicks}");
        }

        _source = head.DatabaseId;
        _first = head.Last;
        if (_upTo < _first)
        {
            Throw.NotCovered(_upTo, _first, _first);
        }

        if (UpToTicks < head.UtcTicks)
        {
            Throw.BeforeBackup(options.UpToTime!.Value, new DateTimeOffset(head.UtcTicks, TimeSpan.Zero));
        }

        StorageOptions settings = options.Storage.ForNewDatabase((int)head.PageBytes, DirtyBytes);
        DatabaseCreation.Create(disk, paths, settings.PageSize!.Value, BeforeFirst(head));
        using Database database = Database.Open(disk, paths.Directory, settings, null, cancellation);
        await ApplyAsync(database, frames, head).ConfigureAwait(false);
        foreach (PipeReader stream in streams.Skip(1))
        {
            await ApplyNextAsync(database, stream).ConfigureAwait(false);
        }

        if (options.UpToTransaction is { } asked && asked > _last.Value)
        {
            Throw.NotCovered(new TransactionId(asked), _first, _last);
        }

        if (_needsTimes && !_hasTimes)
        {
            Throw.NoTimes(options.UpToTime!.Value);
        }

        if (!options.AsFollower)
        {
            await Follower.ForgetPositionsAsync(database, cancellation).ConfigureAwait(false);
        }

        return ask(database);
    }

    /// <summary>
    /// The transaction before those that fill the database: there are as many as its length asks for and its last number allows.
    /// </summary>
    private static TransactionId BeforeFirst(in StreamHead head)
    {
        const long MostPieces = 1 << 16;
        long bytes = Math.Clamp(head.Pages, 0, 1L << 40) * head.PageBytes;
        long pieces = Math.Min(MostPieces, 1 + (bytes / ChangeApplier.PieceBytes));
        return new TransactionId(Math.Max(0, head.Last.Value - pieces));
    }

    private async ValueTask ApplyNextAsync(Database database, PipeReader stream)
    {
        FrameReader frames = new(stream, cancellation);
        StreamHead head = await frames.ReadHeadAsync().ConfigureAwait(false);
        if (head.IsFull != 0)
        {
            Throw.SecondFull();
        }

        if (head.DatabaseId != _source)
        {
            Throw.OtherDatabase(head.DatabaseId, _source);
        }

        await ApplyAsync(database, frames, head).ConfigureAwait(false);
    }

    private async ValueTask ApplyAsync(Database database, FrameReader frames, StreamHead head)
    {
        ChangeApplier applier = new(database, frames, UpToTicks, cancellation) { UpTo = _upTo };
        if (!await applier.RunAsync(head).ConfigureAwait(false))
        {
            Throw.Incomplete(frames.Number);
        }

        // All of a stream that was finished before the time is of an earlier one, whatever it names.
        bool isEarlier = head.Last > TransactionId.None && head.UtcTicks <= UpToTicks;
        _needsTimes |= applier.Transactions > 0 && !isEarlier;
        _hasTimes |= applier.HasTimes;
        _upTo = applier.UpTo;
        _transactions += applier.Transactions;
        _last = TransactionId.Max(_last, applier.LastSeen);
        progress?.Report(_transactions);
    }
}
