using System.IO.Pipelines;
using Voron.Simulation.SelfTests;
using Voron.Storage;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>
/// The database that a rig's own one follows, on a disk of its own. It grows undisturbed; what fails in it is the copying of its changes.
/// </summary>
internal sealed class SiteSource : IDisposable
{
    /// <summary>Values from this length on are in the data file, and read from there for a stream.</summary>
    private const int LeastPlacedBytes = 20_000;
    private readonly SiteRig _rig;
    private readonly SiteWatch _watch;
    private readonly StorageEnvironment _environment;

    /// <summary>How many rows there were after each transaction; the first one is of a named position.</summary>
    private readonly List<int> _rows = [0, 0];

    internal SiteSource(SiteRig rig, SiteWatch watch)
    {
        _rig = rig;
        _watch = watch;
        _environment = StorageEnvironment.Open(
            Folder,
            new StorageOptions
            {
                Engine = new()
                {
                    Disk = new SiteDisk(DiskFixture.NewDisk(seed: 2), watch), Background = false, PlacedValueBytes = LeastPlacedBytes,
                    JournalledBytes = 0, MemoryBytes = 0,
                },
                PageSize = 4096, KeepChangesBytes = 1 << 30, OnEvent = static _ => { },
            });
        _environment.KeepChangesFromAsync("consumer", 0).AsTask().GetAwaiter().GetResult();
    }

    private int Rows => _rows[^1];

    internal bool HadRows(int rows) => _rows.Contains(rows);

    internal void Commit(int keys, int valueBytes = 100) => _watch.Spare(() =>
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        Put(transaction, Enumerable.Range(Rows, keys), valueBytes);
        transaction.Commit();
        _rows.Add(Rows + keys);
    });

    /// <summary>The rig's database takes the changes that it does not have; of a copy that fails, what was copied before.</summary>
    internal void Follow()
    {
        if (_rig.Environment is not { } follower)
        {
            return;
        }

        long newest = follower.GetReport().LastTransactionId;
        if (follower.Database.Source is null && newest > 0)
        {
            // It was promoted, whatever was answered then.
            return;
        }

        using MemoryStream stream = new();
        PipeWriter pipe = PipeWriter.Create(stream, new StreamPipeWriterOptions(leaveOpen: true));
        _rig.Do(() => _environment.CopyChangesAsync(newest, pipe).AsTask().GetAwaiter().GetResult());
        pipe.Complete();
        if (stream.Length > 0)
        {
            _rig.Do(() => Apply(follower, stream.ToArray()));
        }
    }

    /// <summary>The rig's database follows no longer.</summary>
    internal void Promote() => _rig.Do(() =>
    {
        StorageEnvironment follower = _rig.Environment!;
        follower.PromoteAsync().AsTask().GetAwaiter().GetResult();
        follower.PromoteAsync().AsTask().GetAwaiter().GetResult();
        Require(follower.Database.Source is null, "a promoted database still follows");
        follower.Flush();
        int found = Read(follower);
        _rig.Take(found);
    });

    /// <summary>A follower commits nothing of its own; what says that it is none does, and is none in its next life either.</summary>
    internal void TryOwnCommit()
    {
        if (_rig.Environment is not { Database.Source: not null } follower)
        {
            _rig.Commit(1);
            return;
        }

        try
        {
            follower.BeginWrite().Dispose();
        }
        catch (StorageReadOnlyException)
        {
            return;
        }

        throw new SiteFailureException("a follower begins a write transaction of its own");
    }

    /// <summary>With everything well, the rig's database has all rows of a transaction, takes the rest, and is promoted.</summary>
    internal void RequireEnd()
    {
        bool follows = _rig.Environment!.Database.Source is not null;
        Commit(3);
        Follow();
        Require(!follows || _rig.Committed == Rows, $"a follower has {_rig.Committed} rows, and its source {Rows}");
        Promote();
    }

    public void Dispose() => _environment.Database.Abandon();

    private void Apply(StorageEnvironment follower, byte[] stream)
    {
        _rig.Expect(Rows);
        ApplyReport report = follower.ApplyAsync(PipeReader.Create(new MemoryStream(stream))).AsTask().GetAwaiter().GetResult();
        int rows = _rows[(int)report.TransactionId];
        Require(Read(follower) == rows, $"{Read(follower)} rows are in a follower at transaction {report.TransactionId}, not {rows}");
        _rig.Take(rows);
    }
}
