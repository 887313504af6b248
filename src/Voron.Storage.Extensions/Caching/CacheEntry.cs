using System.Buffers.Binary;

namespace Voron.Storage.Extensions.Caching;

/// <summary>What stands before an entry's bytes: when it expires, by what rule. Times are ticks of UTC.</summary>
/// <param name="Expires">When it expires unless it is used before; <see cref="Never"/> when it does not.</param>
/// <param name="Absolute">When it expires at the latest.</param>
/// <param name="Sliding">How long it lives after each use; 0 when it does not matter.</param>
internal readonly record struct CacheEntry(long Expires, long Absolute, long Sliding)
{
    internal const int SizeBytes = 3 * sizeof(long);
    internal const long Never = long.MaxValue;

    /// <summary>
    /// A use moves the end of an entry this share of its sliding time further than it must be, so that only one use in many has to be
    /// written down.
    /// </summary>
    private const int Slack = 8;

    /// <summary>The use now moves the end of the entry.</summary>
    internal bool IsMovedBy(long now) => Sliding > 0 && Expires < Absolute && Expires - now < Sliding;

    internal CacheEntry UsedAt(long now) => this with { Expires = EndOf(now, Absolute, Sliding) };

    internal static CacheEntry Of(long now, long absolute, long sliding) => new(EndOf(now, absolute, sliding), absolute, sliding);

    internal static CacheEntry Read(ReadOnlySpan<byte> from) => new(
        BinaryPrimitives.ReadInt64LittleEndian(from),
        BinaryPrimitives.ReadInt64LittleEndian(from[sizeof(long)..]),
        BinaryPrimitives.ReadInt64LittleEndian(from[(2 * sizeof(long))..]));

    internal void Write(Span<byte> to)
    {
        BinaryPrimitives.WriteInt64LittleEndian(to, Expires);
        BinaryPrimitives.WriteInt64LittleEndian(to[sizeof(long)..], Absolute);
        BinaryPrimitives.WriteInt64LittleEndian(to[(2 * sizeof(long))..], Sliding);
    }

    private static long EndOf(long now, long absolute, long sliding) => sliding == 0
        ? absolute
        : Math.Min(absolute, sliding > Never - now - (sliding / Slack) ? Never : now + sliding + (sliding / Slack));
}
