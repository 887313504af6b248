using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

#if CHECKED
using System.Runtime.CompilerServices;
using Voron.Storage;
using Voron.Storage.Tests.Trees;

namespace Voron.CrashWriter;

/// <summary>
/// Touches memory that the engine must not touch, in the build whose guards end the process for it. Each trespass has a twin one byte, or
/// one moment, before it that does no harm: so it is the guard that the process dies of.
/// </summary>
public static class Trespass
{
    private const int PageBytes = 8192;

    private static readonly Dictionary<string, Action<bool>> Kinds = new()
    {
        ["read behind a heap"] = static beyond => Block(PageBytes, block => Read(block + PageBytes - (beyond ? 0 : 1))),
        ["read before a heap"] = static beyond => Block(PageBytes, block => Read(block - (beyond ? 1 : 0))),
        ["write behind a heap"] = static beyond => Block(PageBytes, block => Write(block + PageBytes - (beyond ? 0 : 1))),
        ["read behind slots"] = static beyond => Block(512, block => Read(block + 512 - (beyond ? 0 : 1))),
        ["write behind slots"] = static beyond => Block(512, block => Write(block + 512 - (beyond ? 0 : 1))),
        ["read a block that was given back"] = ReadGivenBack,
        ["write slots of a published version"] = WriteSealed,
        ["read behind a run"] = static beyond => Run(run => Read(run + (3 * PageBytes) - (beyond ? 0 : 1))),
        ["read a run that was given back"] = ReadRunGivenBack,
        ["write behind a buffer"] = static beyond => Buffer(buffer => Write(buffer + 4096 - (beyond ? 0 : 1))),
        ["write before a buffer"] = static beyond => Buffer(buffer => Write(buffer - (beyond ? 1 : 0))),
        ["read a buffer that was given back"] = ReadBufferGivenBack,
        ["write into the map of a file"] = WriteIntoMap,
    };

    /// <summary>All of them.</summary>
    public static IEnumerable<string> Names => Kinds.Keys;

    /// <summary>The trespass, or its harmless twin; 0 when the process is still there.</summary>
    public static int Run(string name, bool beyond)
    {
        Kinds[name](beyond);
        return 0;
    }

    private static unsafe void Block(int bytes, Action<nint> touch)
    {
        using VersionMemory memory = new(PageBytes);
        memory.EnsureRoom(bytes, 0, 1);
        byte* block = memory.RentBlock(bytes);
        touch((nint)block);
        memory.ReturnBlock(block, bytes);
    }

    private static unsafe void Run(Action<nint> touch)
    {
        using VersionMemory memory = new(PageBytes);
        byte* run = memory.RentRun(3 * PageBytes);
        touch((nint)run);
        memory.ReturnRun(run, 3 * PageBytes);
    }

    private static void Buffer(Action<nint> touch)
    {
        using AlignedBuffer buffer = AlignedBuffer.Allocate(4096);
        touch(buffer.Address);
    }

    private static unsafe void ReadGivenBack(bool beyond)
    {
        using VersionMemory memory = new(PageBytes);
        memory.EnsureRoom(PageBytes, 0, 1);
        byte* block = memory.RentBlock(PageBytes);
        Touch(beyond, (nint)block, () => memory.ReturnBlock(block, PageBytes));
    }

    private static unsafe void ReadRunGivenBack(bool beyond)
    {
        using VersionMemory memory = new(PageBytes);
        byte* run = memory.RentRun(3 * PageBytes);
        Touch(beyond, (nint)run, () => memory.ReturnRun(run, 3 * PageBytes));
    }

    private static void ReadBufferGivenBack(bool beyond)
    {
        AlignedBuffer buffer = AlignedBuffer.Allocate(4096);
        Touch(beyond, buffer.Address, buffer.Dispose);
    }

    /// <summary>Reads there after it was given back, or before.</summary>
    private static void Touch(bool beyond, nint address, Action giveBack)
    {
        if (beyond)
        {
            giveBack();
            Read(address);
        }
        else
        {
            Read(address);
            giveBack();
        }
    }

    /// <summary>The slots that a transaction made, while it is open and after it was committed.</summary>
    private static unsafe void WriteSealed(bool beyond)
    {
        using MemoryPages pages = new(PageBytes);
        pages.Begin();
        nint slots = (nint)pages.Writer.Allocate(PageKind.Leaf)->Slots;
        if (beyond)
        {
            pages.Commit();
        }

        Write(slots);
    }

    private static void WriteIntoMap(bool beyond)
    {
        string path = Path.GetTempFileName();
        try
        {
            new NativeDisk().OpenFile(path, beyond ? FileOpening.None : FileOpening.Temporary, out IDiskFile? opened);
            using IDiskFile file = opened!;
            file.SetLength(PageBytes);
            file.Map(PageBytes, out nint address);
            Write(address);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void Read(nint address) => GC.KeepAlive(Volatile.Read(ref *(byte*)address));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void Write(nint address) => Volatile.Write(ref *(byte*)address, 1);
}
#endif
