using Voron.Simulation.SelfTests;
using Voron.Storage;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Rescue;
using Voron.Storage.Transactions;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>
/// Plays a scenario on a disk of which one call site fails. Whatever the engine answers must be a typed error; after each answer what was
/// acknowledged is still readable, and the scenario goes on like a user who tries the next thing.
/// </summary>
internal sealed class SiteRig : IDisposable
{
    private const string SalvageFolder = "/saved";
    private const int LeastPlacedBytes = 4_000_000;
    private readonly SiteWatch _watch;
    private readonly List<ReadTransaction> _readers = [];
    private int _maybe;
    private bool _isSafe = true;

    /// <summary>The database was damaged on purpose: nothing is asked of it any more.</summary>
    private bool _isLost;

    internal SiteRig(SiteWatch watch)
    {
        _watch = watch;
        Disk = DiskFixture.NewDisk(seed: 1);
    }

    internal SimDisk Disk { get; private set; }

    internal StorageEnvironment? Environment { get; private set; }

    /// <summary>Keys 0 … this − 1 were committed, and a killed process loses none of them.</summary>
    internal int Committed { get; private set; }

    /// <summary>Keys 0 … this − 1 are on the device.</summary>
    internal int Durable { get; private set; }

    /// <summary>The database that this one follows; null if it is to follow none.</summary>
    internal SiteSource? Source { get; private set; }

    /// <summary>What the engine answered first when it was refused something.</summary>
    internal Exception? FirstAnswer { get; private set; }

    internal void Open(
        bool background = false, bool createIfMissing = true, long? maxDirtyBytes = null, int placedValueBytes = LeastPlacedBytes,
        long? softLimitBytes = null, long keepChangesBytes = 0)
    {
        if (Environment is not null)
        {
            return;
        }

        Do(() =>
        {
            Environment = StorageEnvironment.Open(
                Folder,
                new StorageOptions
                {
                    // The long values of the scenarios are there to fill the journal.
                    Engine = new()
                    {
                        Disk = new SiteDisk(Disk, _watch), Background = background, PlacedValueBytes = placedValueBytes,
                        JournalledBytes = 0, MemoryBytes = 0,
                    },
                    PageSize = 4096, CreateIfMissing = createIfMissing, OnEvent = static _ => { }, MaxDirtyBytes = maxDirtyBytes,
                    JournalSoftLimitBytes = softLimitBytes, KeepChangesBytes = keepChangesBytes,
                });
            int found = Read(Environment);
            Require(IsWhole(found), $"{found} keys are there where {Committed} + {_maybe} should be");
            Take(found);
        }, needsEnvironment: false);
    }

    internal SiteSource MakeSource() => Source = new SiteSource(this, _watch);

    /// <summary>Keys up to this number are being taken from another database: which are is known after the call only.</summary>
    internal void Expect(int rows) => _maybe = rows - Committed;

    /// <summary>Keys 0 … this − 1 are there, and durable.</summary>
    internal void Take(int rows) => (Committed, Durable, _maybe) = (rows, rows, 0);

    /// <summary>Commits the next keys in one transaction.</summary>
    internal void Commit(int keys = 20, int valueBytes = 100, CommitMode mode = CommitMode.Durable) => Do(() =>
    {
        // After an unknown outcome nothing more is committed until the database is reopened, so it is never known of two at once.
        using WriteTransaction transaction = Environment!.BeginWrite();

        // From the last to the first: many puts in no order are made beside the write.
        Put(transaction, Enumerable.Range(Committed, keys).Reverse(), valueBytes);

        try
        {
            transaction.Commit(mode);
        }
        catch (CommitOutcomeUnknownException)
        {
            _maybe = keys;
            throw;
        }

        Committed += keys;
        Durable = mode == CommitMode.Durable ? Committed : Durable;
    });

    /// <summary>Gives all keys other values of this length.</summary>
    internal void Rewrite(int valueBytes) => Do(() =>
    {
        using WriteTransaction transaction = Environment!.BeginWrite();
        Put(transaction, Enumerable.Range(0, Committed), valueBytes);
        transaction.Commit();
        Durable = Committed;
    });

    internal void OpenReadOnly() => Do(
        () =>
        {
            using StorageEnvironment environment = StorageEnvironment.Open(
                Folder, new StorageOptions { Engine = new() { Disk = new SiteDisk(Disk, _watch), Background = false }, ReadOnly = true });
            Require(Read(environment) == Committed, "a read-only opening shows something else");
        },
        needsEnvironment: false);

    /// <summary>Looks at every page of a sound database and at its journal.</summary>
    internal void Inspect() => Do(
        () =>
        {
            SiteDisk disk = new(Disk, _watch);
            JournalReport journal = StorageInspection.ReadJournal(disk, Folder, null, CancellationToken.None);
            Require(journal.IsClean || _watch.Fault is { IsShort: true }, "a sound journal is said to be damaged");
            Require(StorageInspection.ReadPage(disk, Folder, 0).IsSound, "a sound header slot is said to be damaged");
            bool hasRun = false;
            for (long page = FormatConstants.CatalogRootPage.Value; !hasRun; page++)
            {
                PageReport report = StorageInspection.ReadPage(disk, Folder, page);
                hasRun = report is { Content: PageContent.Overflow, IsSound: true };
            }
        },
        needsEnvironment: false);

    internal void Scrub() => Do(() => Environment!.Check(bytesPerSecond: 1L << 40));

    internal void Salvage() => Do(
        () =>
        {
            StorageOptions options = new() { Engine = new() { Disk = new SiteDisk(Disk, _watch), Background = false } };
            SalvageReport report = StorageSalvage.Copy(Folder, SalvageFolder, options);
            using StorageEnvironment saved = StorageEnvironment.Open(SalvageFolder, options);
            if (_watch.Fault is not { LooksLikeDamage: true } || report.IsComplete)
            {
                Require(Read(saved) == Committed, "a salvage of a sound database lost something, or says nothing of it");
            }
        },
        needsEnvironment: false);

    /// <summary>The last block of the newest commit chunk, behind all records, cannot be read.</summary>
    internal void LoseLastBlock()
    {
        List<string> names = [];
        Disk.ListFiles(Folder + "/journal", names);
        names.RemoveAll(static name => !name.EndsWith(FormatConstants.CommitChunkSuffix, StringComparison.Ordinal));
        string chunk = Folder + "/journal/" + names.Max();
        Disk.OpenFile(chunk, FileOpening.ReadOnly, out IDiskFile? file);
        using (file)
        {
            file!.GetLength(out long bytes);
            Disk.MakeUnreadable(chunk, bytes - FormatConstants.BlockBytes);
        }
    }

    /// <summary>Both header slots are gone; what may still be opened stands in a copy.</summary>
    internal void LoseSlots()
    {
        _isLost = true;
        Disk.OpenFile(Folder + "/data.voron", FileOpening.None, out IDiskFile? file);
        using (file)
        {
            file!.Write(0, new byte[8192]);
            file.SyncData();
        }
    }

    internal void Checkpoint() => Do(() =>
    {
        Environment!.Checkpoint();
        Durable = Committed;
    });

    /// <summary>A reader that stays until the environment is closed or readers are.</summary>
    internal void OpenReader() => Do(() =>
    {
        ReadTransaction reader = Environment!.BeginRead();
        _readers.Add(reader);
        reader.TryOpenTree(NumberedRows.Tree, out _);
    });

    internal void CloseReaders()
    {
        _readers.ForEach(static reader => reader.Dispose());
        _readers.Clear();
    }

    internal void Close()
    {
        CloseReaders();
        Do(() =>
        {
            StorageEnvironment closing = Environment!;
            Environment = null;
            closing.Dispose();
            Durable = FirstAnswer is null ? Committed : Durable;
        });
        Require(Environment is not null || Disk.OpenFileCount == 0, $"{Disk.OpenFileCount} files are open after a close");
        _isSafe = true;
    }

    /// <summary>The process ends here.</summary>
    internal void Kill()
    {
        SimDisk left = Disk.Kill();
        Drop();
        Disk = left;
    }

    /// <summary>Whatever is left now, after a kill and after power cuts, is a sound database with all that was acknowledged.</summary>
    internal void RequireSafe()
    {
        if (_isLost)
        {
            return;
        }

        SiteFault? fault = _watch.Fault;
        _watch.Fault = null;
        SimSnapshot now = Disk.Capture();
        RequireState(now.Kill(), Committed, "a kill");
        foreach (CutChoice cut in (CutChoice[])[CutChoice.None, CutChoice.All, CutChoice.Random(1), CutChoice.Random(2)])
        {
            RequireState(now.Cut(cut), Durable, $"the cut {cut}");
        }

        _watch.Fault = fault;
    }

    /// <summary>The disk is well again: after a reopening, if the environment asks for one, everything works.</summary>
    internal void RequireHealthy()
    {
        if (_isLost)
        {
            return;
        }

        _watch.Fault = null;
        Disk.Faults.Clear();
        CloseReaders();
        if (Environment is { } open)
        {
            try
            {
                if (open.Database.Source is null)
                {
                    open.BeginWrite().Dispose();
                }
                else
                {
                    open.Flush();
                }
            }
            catch (StoragePoisonedException)
            {
                open.Dispose();
                Environment = null;
                Require(Disk.OpenFileCount == 0, "files are open after a poisoned environment was closed");
            }
        }

        FirstAnswer = null;
        Open();
        Source?.RequireEnd();
        Commit();
        Checkpoint();
        OpenReader();
        Commit(60);
        Checkpoint();
        Commit(40);
        Checkpoint();
        CloseReaders();
        Commit();
        Checkpoint();
        Commit();
        RequireReadable();
        Require(Environment!.Check().Findings.Count == 0, "the check found something");
        Close();
        Open();
        RequireReadable();
        Close();
        if (FirstAnswer is { } answer)
        {
            throw new SiteFailureException("with everything well again something still fails: " + answer.Message, answer);
        }
    }

    public void Dispose()
    {
        Drop();
        Source?.Dispose();
    }

    /// <summary>Without an environment, because an earlier opening failed, nothing is done except another opening.</summary>
    internal void Do(Action step, bool needsEnvironment = true)
    {
        if (needsEnvironment && Environment is null)
        {
            return;
        }

        try
        {
            step();
        }
        catch (Exception error) when (IsTyped(error))
        {
            FirstAnswer ??= error;
            RequireReadable();
            if (_isSafe)
            {
                _isSafe = false;
                RequireSafe();
            }
        }
        catch (Exception error) when (error is not SiteFailureException)
        {
            throw new SiteFailureException($"answered with {error.GetType().Name}: {error.Message}", error);
        }
    }

    /// <summary>A failing disk is no damage; only what comes back short, or cannot be read, may look like it.</summary>
    private bool IsTyped(Exception error) => error switch
    {
        StorageCorruptException or CorruptJournalException or NotADatabaseException => _watch.Fault is { LooksLikeDamage: true },
        InsufficientMemoryException => _watch.Fault is { Site.Operation: CallSite.Memory },
        _ => error is StorageException,
    };

    private void RequireReadable()
    {
        if (Environment is null)
        {
            return;
        }

        SiteFault? fault = _watch.Fault;
        int found;
        try
        {
            found = Read(Environment);
        }
        catch (Exception error) when (fault is { LooksLikeDamage: true } && IsTyped(error))
        {
            // A place that cannot be read is still one.
            return;
        }

        Require(found == Committed || (fault is not null && IsWhole(found)), $"{found} keys are read where {Committed} are");
    }

    /// <summary>Everything that was acknowledged is there, and of a transaction that was not, all or nothing.</summary>
    private bool IsWhole(int found) => found == Committed || found == Committed + _maybe
        || (found > Committed && found < Committed + _maybe && Source?.HadRows(found) == true);

    private void RequireState(SimDisk disk, int least, string how)
    {
        try
        {
            using StorageEnvironment environment = StorageEnvironment.Open(
                Folder, new StorageOptions { Engine = new() { Disk = disk, Background = false } });
            int found = Read(environment);
            Require(found >= least && found <= Committed + _maybe, $"{found} keys after {how}, promised {least} of {Committed} + {_maybe}");
            Require(environment.Check().Findings.Count == 0, $"the check found something after {how}");
        }
        catch (Exception error) when (error is not SiteFailureException)
        {
            throw new SiteFailureException($"not opened after {how}: {error.Message}", error);
        }
    }

    private void Drop()
    {
        CloseReaders();
        Disk.PowerOff();
        Environment?.Database.Abandon();
        Environment = null;
    }
}
