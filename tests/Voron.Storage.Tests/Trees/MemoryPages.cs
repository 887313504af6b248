using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Tests.Trees;

/// <summary>
/// Pages without a disk: versions in memory over an empty (or a given) image of a data file, one writer, snapshots held by number.
/// </summary>
internal sealed unsafe class MemoryPages : IDisposable
{
    private readonly MemoryDisk _disk = new();
    private readonly IDiskFile _file;
    private readonly ReclaimQueue _reclaim;
    private readonly List<TransactionId> _held = [];
    private readonly byte* _image;

    internal MemoryPages(int pageBytes)
        : this(pageBytes, null, 0, TransactionId.None, 0)
    {
    }

    private MemoryPages(int pageBytes, byte* image, long imagePages, TransactionId lastTransaction, long groups, int mostMarkers = 4096)
    {
        _image = image;
        Versions = new VersionTable(new VersionMemory(pageBytes));
        _disk.OpenFile("/memory", FileOpening.Create, out IDiskFile? file);
        _file = file!;
        MappedPages mapped = new(pageBytes, _file);
        if (image != null)
        {
            mapped.Extend((nint)image, imagePages * pageBytes);
        }

        Source = new PageSource(Versions, mapped, pageBytes);
        _reclaim = new ReclaimQueue(Versions);
        Writer = new PageWriter(Source, _reclaim, new SpaceLayout(pageBytes), groups) { MostMarkers = mostMarkers };
        Trees = new LayeredTreeWriter(Writer);
        LastCommitted = lastTransaction;
        Versions.Publish(lastTransaction);
    }

    internal VersionTable Versions { get; }

    internal PageSource Source { get; }

    internal PageWriter Writer { get; }

    internal LayeredTreeWriter Trees { get; }

    internal TransactionId LastCommitted { get; private set; }

    internal int PageBytes => Source.PageBytes;

    internal int MaxKeyBytes => Trees.MaxKeyBytes;

    internal void Begin() => Writer.Begin(LastCommitted.Next);

    internal void Commit()
    {
        Writer.Commit();
        LastCommitted = LastCommitted.Next;
        Versions.Publish(LastCommitted);
        Reclaim();
    }

    internal void Rollback() => Writer.Rollback();

    /// <summary>Keeps the newest committed state readable.</summary>
    internal TransactionId Hold()
    {
        _held.Add(LastCommitted);
        return LastCommitted;
    }

    internal void Release(TransactionId snapshot)
    {
        _held.Remove(snapshot);
        Reclaim();
    }

    internal bool TryFind(PageNumber root, ReadOnlySpan<byte> key, TransactionId snapshot, out ReadOnlySpan<byte> value) =>
        TreeReader.TryFind(Source, snapshot, root, key, out value);

    /// <summary>Appends, as the notes of a transaction would; false, with nothing changed, when the key is not above all others.</summary>
    internal bool TryAppend(PageNumber root, params ReadOnlySpan<(byte[] Key, byte[] Value)> entries)
    {
        if (!Trees.IsAboveAll(root, entries[0].Key))
        {
            return false;
        }

        List<byte> notes = [];
        DeferredPut[] puts = new DeferredPut[entries.Length];
        for (int i = 0; i < entries.Length; i++)
        {
            (byte[] key, byte[] value) = entries[i];
            puts[i] = new DeferredPut { Root = root, KeyOffset = notes.Count, KeyLength = key.Length, ValueLength = value.Length };
            notes.AddRange(key);
            notes.AddRange(value);
        }

        Trees.AppendRun(root, puts, notes.ToArray());
        return true;
    }

    internal RowCursor OpenCursor(PageNumber root, TransactionId snapshot, bool remembersKey = false) =>
        new(Source, snapshot, root, new byte[TreeCursor.BufferBytes(PageBytes)], remembersKey);

    /// <summary>Pages in use by trees, according to the space maps as the writer sees them.</summary>
    internal long CountUsedPages()
    {
        SpaceLayout layout = new(PageBytes);
        long used = 0;
        for (long group = 0; group < Writer.Space.Groups; group++)
        {
            foreach (ulong word in SpaceMap.ReadWords(Source, layout, group, Writer.TransactionId))
            {
                used += System.Numerics.BitOperations.PopCount(word);
            }

            used -= layout.ReservedBits(group).Count;
        }

        return used;
    }

    /// <summary>The newest committed state as a data file's bytes: every page in one block, with its checksum.</summary>
    internal byte[] ToImage()
    {
        using MemoryStream image = new();
        for (PageNumber page = default; page < Versions.EndPage; page++)
        {
            if (!Versions.TryFind(page, LastCommitted, out PageView view))
            {
                continue;
            }

            byte[] bytes = ImageOf(view);
            image.Position = page.ByteOffset(PageBytes);
            image.Write(bytes);
        }

        return image.ToArray();
    }

    /// <summary>Opens such an image as an environment of its own; the next transaction goes on from the given one.</summary>
    internal static MemoryPages Open(byte[] image, int pageBytes, TransactionId lastTransaction, long groups, int mostMarkers = 4096)
    {
        byte* memory = (byte*)NativeMemory.Alloc((nuint)image.Length);
        image.CopyTo(new Span<byte>(memory, image.Length));
        return new MemoryPages(pageBytes, memory, image.Length / pageBytes, lastTransaction, groups, mostMarkers);
    }

    /// <summary>Gives a changed page of an image a valid checksum again.</summary>
    internal static void Seal(Span<byte> page)
    {
        ulong checksum = Checksum.Compute(page[sizeof(ulong)..]);
        MemoryMarshal.Write(page, checksum);
    }

    public void Dispose()
    {
        _held.Clear();
        Reclaim();
        Versions.Dispose();
        NativeMemory.Free(_image);
        _file.Dispose();
        _disk.Dispose();
    }

    private void Reclaim()
    {
        using (Versions.Gate.Hold())
        {
            _reclaim.Reclaim(Versions.Visible, [.. _held, LastCommitted], _held.Count + 1, everything: true);
        }
    }

    private byte[] ImageOf(PageView view)
    {
        int count = view.Header.Kind == PageKind.Overflow ? (int)((OverflowHeader*)view.Slots)->PageCount : 1;
        byte[] bytes = new byte[count * PageBytes];
        if (view.Slots == view.Heap)
        {
            new ReadOnlySpan<byte>(view.Slots, bytes.Length).CopyTo(bytes);
        }
        else
        {
            int slotBytes = PageHeader.SizeBytes + (view.Header.Count * NodeSlot.SizeBytes);
            int mark = PageBytes - view.Header.HeapUsedBytes;
            new ReadOnlySpan<byte>(view.Slots, slotBytes).CopyTo(bytes);
            new ReadOnlySpan<byte>(view.Heap + mark, PageBytes - mark).CopyTo(bytes.AsSpan(mark));
        }

        Seal(bytes);
        return bytes;
    }
}
