using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.IO;

/// <summary>
/// The slots of the lock file, through which the processes that have a database open know of each other. Slot 0 is the writer's, each
/// other one a reader's. A process holds the lock of its slot, so a slot is free when its process has ended, however it ended; what its
/// words say then means nothing.
/// <para>Words are read and written by position, through the page cache: a process that writes a word and then reads another process's
/// word finds what that process wrote before it read the first one. So of a reader that registers and then reads the admission, and a
/// writer that closes the admission and then reads the slots, one finds the other.</para>
/// </summary>
internal sealed class ProcessSlots(IDiskFile file)
{
    /// <summary>Number of slots, the writer's included.</summary>
    internal const int Count = 128;

    /// <summary>The checkpoint of a reader that does not know yet from which one it reads.</summary>
    internal const long Joining = -1;

    /// <summary>No reader may register: what readers of the newest checkpoint rely on may change.</summary>
    internal const long Closed = 0;

    /// <summary>A reader may register at the checkpoint that slot 0 names.</summary>
    internal const long Open = 1;

    /// <summary>The writer reads and has not written yet: readers find the newest checkpoint as without a writer.</summary>
    internal const long Opening = 2;

    private const int WordsPerSlot = 4;
    private const int DurableWord = 0;
    private const int CheckpointWord = 1;
    private const int ProcessWord = 2;
    private const int AdmissionWord = 3;
    private const int ReadCheckpointWord = 0;
    private const int ShownWord = 1;

    /// <summary>The first word of the own slot.</summary>
    private int _own;

    /// <summary>Whether another open file of the lock file has the writer's slot.</summary>
    internal bool HasWriter => file.IsSlotLocked(0);

    /// <summary>The process of the writer; only with <see cref="HasWriter"/>.</summary>
    internal int WriterProcess => (int)Read(ProcessWord);

    internal long Admission => Read(AdmissionWord);

    /// <summary>The newest checkpoint whose header slot is durable, as the last writer has said.</summary>
    internal long Checkpoint => Read(CheckpointWord);

    /// <summary>The last transaction that is on the device, as the last writer has said.</summary>
    internal TransactionId Durable => new(Read(DurableWord));

    /// <summary>As the writer, which holds slot 0: names its process and says that it reads.</summary>
    internal IoError BeginWriter()
    {
        IoError error = Write(ProcessWord, Environment.ProcessId);
        return error.Failed ? error : Write(AdmissionWord, Opening);
    }

    /// <summary>As the writer: changes which readers may register.</summary>
    internal IoError Admit(long admission, long checkpoint)
    {
        bool isSame = Admission == admission;
        IoError error = isSame ? IoError.Success : Write(AdmissionWord, Closed);
        error = error.Failed || Checkpoint == checkpoint ? error : Write(CheckpointWord, checkpoint);
        return error.Failed || isSame ? error : Write(AdmissionWord, admission);
    }

    /// <summary>As the writer: a failure only makes readers later.</summary>
    internal void PublishDurable(TransactionId durable) => Write(DurableWord, durable.Value);

    /// <summary>As a reader: takes a free slot. <see cref="IoErrorKind.Locked"/> if there is none.</summary>
    internal IoError TryTake()
    {
        IoError error = default;
        for (int slot = 1; slot < Count; slot++)
        {
            error = file.TryLockSlot(slot, exclusive: true);
            if (error.Kind != IoErrorKind.Locked)
            {
                _own = error.Failed ? 0 : slot * WordsPerSlot;
                error = error.Failed ? error : Register(Joining);
                return error.Failed ? error : Write(_own + ProcessWord, Environment.ProcessId);
            }
        }

        return error;
    }

    /// <summary>As a reader: says from which checkpoint it reads, before it shows anything.</summary>
    internal IoError Register(long checkpoint)
    {
        IoError error = Write(_own + ShownWord, 0);
        return error.Failed ? error : Write(_own + ReadCheckpointWord, checkpoint);
    }

    /// <summary>As a reader: the oldest state that a transaction of it sees. A failure only makes the writer keep more.</summary>
    internal bool TryShow(TransactionId oldest) => !Write(_own + ShownWord, oldest.Value).Failed;

    /// <summary>
    /// Clears the words of the own slot before its lock ends with the file. The writer leaves what followers need to know.
    /// </summary>
    internal void Leave()
    {
        Write(_own + ProcessWord, 0);
        if (_own == 0)
        {
            Write(AdmissionWord, Closed);
        }
        else
        {
            Write(_own + ReadCheckpointWord, 0);
            Write(_own + ShownWord, 0);
        }
    }

    /// <summary>Finds the first living reader in a slot after this one.</summary>
    internal bool TryFindReader(int after, out ProcessSlot found)
    {
        Span<long> words = stackalloc long[Count * WordsPerSlot];
        words.Clear();
        Throw.IfFailed(file.Read(0, MemoryMarshal.AsBytes(words), out _), "read", file.Path);
        for (int slot = after + 1; slot < Count; slot++)
        {
            Span<long> own = words.Slice(slot * WordsPerSlot, WordsPerSlot);
            if (own[ProcessWord] != 0 && file.IsSlotLocked(slot))
            {
                found = new ProcessSlot(slot, (int)own[ProcessWord], own[ReadCheckpointWord], new TransactionId(own[ShownWord]));
                return true;
            }
        }

        found = default;
        return false;
    }

    /// <summary>Words beyond the end of the file are zero. One that is written at the same moment is read again.</summary>
    private long Read(int word)
    {
        while (true)
        {
            long first = ReadOnce(word);
            if (ReadOnce(word) == first)
            {
                return first;
            }
        }
    }

    private long ReadOnce(int word)
    {
        long value = 0;
        Throw.IfFailed(
            file.Read(word * (long)sizeof(long), MemoryMarshal.AsBytes(new Span<long>(ref value)), out _), "read", file.Path);
        return value;
    }

    private IoError Write(int word, long value)
    {
        Interlocked.MemoryBarrier();
        IoError error = file.Write(word * (long)sizeof(long), MemoryMarshal.AsBytes(new ReadOnlySpan<long>(ref value)));
        Interlocked.MemoryBarrier();
        return error;
    }
}
