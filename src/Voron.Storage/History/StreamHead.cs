using System.Runtime.InteropServices;
using Voron.Storage.Engine;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Says what a stream holds.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct StreamHead
{
    internal const int SizeBytes = 64;

    /// <summary>"VBAK".</summary>
    internal const uint StreamMagic = 0x4B41_4256;
    internal const uint StreamVersion = 1;

    [FieldOffset(0)] internal uint Magic;

    [FieldOffset(4)] internal uint Version;

    [FieldOffset(8)] internal ulong DatabaseIdLow;

    [FieldOffset(16)] internal ulong DatabaseIdHigh;

    /// <summary>Page size of the source.</summary>
    [FieldOffset(24)] internal uint PageBytes;

    /// <summary>1: the whole content as one transaction, <see cref="Last"/>. 0: the changes after <see cref="After"/>.</summary>
    [FieldOffset(28)] internal uint IsFull;

    [FieldOffset(32)] internal TransactionId After;

    /// <summary>The last transaction of the stream; 0 if that is not known at the beginning.</summary>
    [FieldOffset(40)] internal TransactionId Last;

    /// <summary>Pages that the source used; 0 in a stream of changes.</summary>
    [FieldOffset(48)] internal long Pages;

    /// <summary>When the stream was begun, in ticks of .NET, UTC.</summary>
    [FieldOffset(56)] internal long UtcTicks;

    internal readonly DatabaseId DatabaseId => new(DatabaseIdLow, DatabaseIdHigh);

    internal readonly Guid Guid => GuidOf(DatabaseId);

    /// <summary>The head of a stream of a database: a follower's history is that of its source.</summary>
    internal static StreamHead Of(Database database, TimeProvider time)
    {
        DatabaseId id = database.Source ?? database.Parts.Files.DatabaseId;
        return new StreamHead
        {
            Magic = StreamMagic,
            Version = StreamVersion,
            DatabaseIdLow = id.Low,
            DatabaseIdHigh = id.High,
            PageBytes = (uint)database.Parts.File.PageBytes,
            UtcTicks = time.GetUtcNow().UtcTicks,
        };
    }

    internal static Guid GuidOf(DatabaseId id) => new(MemoryMarshal.AsBytes<ulong>([id.Low, id.High]));

    internal static DatabaseId IdOf(Guid guid)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<Guid, ulong>(new ReadOnlySpan<Guid>(ref guid));
        return new DatabaseId(words[0], words[1]);
    }
}
