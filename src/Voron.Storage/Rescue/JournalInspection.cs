using System.Globalization;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Rescue;

/// <summary>
/// Reads every chunk of a journal record by record, past damaged ones. Reports what is there; only recovery decides what it needs.
/// </summary>
internal sealed class JournalInspection(InspectedFiles files, Action<JournalRecord>? onRecord, CancellationToken cancellation)
{
    private readonly List<ChunkReport> _chunks = [];
    private readonly List<string> _findings = [];
    private readonly RecordChain _chain = new();

    internal JournalReport Read()
    {
        List<long> commits = files.Journal.ListSequences(ChunkKind.Commit);
        foreach (long sequence in commits)
        {
            cancellation.ThrowIfCancellationRequested();
            string? problem = Judge(ChunkKind.Commit, sequence, out Chunk chunk);
            _chunks.Add(ReadCommits(chunk, problem));
        }

        FindGaps(commits);
        ReadImageSets();
        return new JournalReport(_chunks, _findings);
    }

    /// <summary>Notes a damaged chunk header as a finding; returns null if it is valid.</summary>
    private string? Judge(ChunkKind kind, long sequence, out Chunk chunk)
    {
        chunk = default;
        string path = files.Journal.PathOf(kind, sequence);
        string? problem;
        try
        {
            problem = files.Journal.Judge(kind, sequence, out chunk) switch
            {
                ChunkState.Sound => null,
                ChunkState.Missing => "the file is gone",
                ChunkState.Foreign => "it belongs to another database",
                _ => "its header is damaged or the file was cut short",
            };
        }
        catch (StorageException error) when (error is StorageCorruptException or FormatVersionException)
        {
            problem = error.Message;
        }

        if (problem is not null)
        {
            chunk = new Chunk(path, sequence, 0, 0);
            _findings.Add($"'{path}': {problem}.");
        }

        return problem;
    }

    private ChunkReport ReadCommits(Chunk chunk, string? problem)
    {
        long records = 0, first = 0, last = 0, end = 0;
        using ChunkContent content = problem is null
            ? new ChunkContent(files.Disk, chunk) : ChunkContent.OfDamaged(files.Journal, chunk.Sequence);
        long at = FormatConstants.ChunkBodyOffset;
        while (content.TryFindRecord(ref at, out RecordHeader header))
        {
            cancellation.ThrowIfCancellationRequested();
            bool follows = _chain.Take(chunk.Sequence, header, out JournalPosition? lost);
            if (lost is { } place)
            {
                string path = files.Journal.PathOf(ChunkKind.Commit, place.Sequence);
                _findings.Add(string.Create(
                    CultureInfo.InvariantCulture,
                    $"'{path}': from offset {place.Offset} on records are damaged or gone; "
                    + $"the one at {at} of '{chunk.Path}' says that they were there."));
            }

            onRecord?.Invoke(new JournalRecord(
                chunk.Path, at, header.TransactionId.Value, header.Flags == RecordFlags.Commit, header.BodyBytes, follows));
            records++;
            first = records == 1 ? header.TransactionId.Value : first;
            last = header.TransactionId.Value;
            end = at + RecordHeader.SizeBytes + header.StoredBytes;
            at = ChunkContent.RoundUp(end, FormatConstants.RecordAlignmentBytes);
        }

        long next = ChunkContent.RoundUp(Math.Max(end, FormatConstants.ChunkBodyOffset), FormatConstants.RecordAlignmentBytes);
        if (content.Unreadable.Count > 0)
        {
            _findings.Add(string.Create(
                CultureInfo.InvariantCulture, $"'{chunk.Path}': the device cannot read it at offset {content.Unreadable.First}."));
        }

        bool isTorn = content.HasBegun(next) || content.HasBegun(ChunkContent.RoundUp(next, FormatConstants.BlockBytes));
        return Report(chunk, true, problem, new Content(records, first, last, end, isTorn));
    }

    /// <summary>
    /// Reports a missing predecessor: a chunk names the one before it, and the oldest ones are recycled when they are no longer needed.
    /// </summary>
    private void FindGaps(List<long> sequences)
    {
        foreach (ChunkReport chunk in _chunks.Skip(1))
        {
            if (chunk.PreviousSequence > 0 && !sequences.Contains(chunk.PreviousSequence))
            {
                string missing = files.Journal.PathOf(ChunkKind.Commit, chunk.PreviousSequence);
                _findings.Add($"'{missing}' is missing: '{chunk.File}' was made after it, and older chunks than that are there.");
            }
        }
    }

    private void ReadImageSets()
    {
        ImageSetReader reader = new(files.Journal);
        ILookup<long, (JournalPosition Place, long Checkpoint)> heads = reader.FindHeads().ToLookup(static head => head.Place.Sequence);
        foreach (long sequence in files.Journal.ListSequences(ChunkKind.Pages))
        {
            cancellation.ThrowIfCancellationRequested();
            string? problem = Judge(ChunkKind.Pages, sequence, out Chunk chunk);
            long count = 0, first = 0, last = 0, end = 0;
            foreach ((JournalPosition place, long checkpoint) in heads[sequence])
            {
                if (TryReadSet(reader, place, checkpoint) is { } head)
                {
                    count++;
                    first = count == 1 ? head.TransactionId.Value : first;
                    last = head.TransactionId.Value;
                    end = place.Offset + FormatConstants.BlockBytes;
                }
            }

            _chunks.Add(Report(chunk, false, problem, new Content(count, first, last, end, false)));
        }
    }

    private ImageSetHead? TryReadSet(ImageSetReader reader, JournalPosition place, long checkpoint)
    {
        try
        {
            return reader.TryRead(place, checkpoint, out _)?.Head;
        }
        catch (StorageCorruptException error)
        {
            // The table of an image set that a newer one has replaced may have been recycled with its chunk.
            if (files.Identity.Slot is not { } slot || checkpoint >= slot.Checkpoint)
            {
                _findings.Add(error.Message);
            }

            return null;
        }
    }

    private static ChunkReport Report(Chunk chunk, bool isCommitChunk, string? problem, Content content) => new()
    {
        File = chunk.Path,
        IsCommitChunk = isCommitChunk,
        Sequence = chunk.Sequence,
        PreviousSequence = chunk.PreviousSequence,
        Bytes = chunk.Bytes,
        Problem = problem,
        Records = content.Records,
        FirstTransactionId = content.First,
        LastTransactionId = content.Last,
        EndOffset = content.End,
        IsTorn = content.IsTorn,
    };

    private readonly record struct Content(long Records, long First, long Last, long End, bool IsTorn);
}
