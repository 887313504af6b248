using System.Runtime.CompilerServices;

namespace Voron.Storage.Format;

/// <summary>Number of a page: its byte offset in the data file divided by the page size.</summary>
internal readonly record struct PageNumber(long Value) : IComparable<PageNumber>
{
    /// <summary>Names no page: what a search returns that found none.</summary>
    internal static PageNumber None => new(-1);

    /// <summary>The first page that has no place in the data file: from here on pages are only in memory.</summary>
    internal static PageNumber FirstInMemory => new(1L << 62);

    /// <summary>One past every page.</summary>
    internal static PageNumber AfterAll => new(long.MaxValue);

    /// <summary>Whether the page has no place in the data file.</summary>
    internal bool IsInMemory => Value >= FirstInMemory.Value;

    /// <summary>In a set with one bit for each page: the word that has the page's bit.</summary>
    internal long WordIndex => Value >> 6;

    /// <summary>The page's bit in that word.</summary>
    internal int BitIndex => (int)(Value & 63);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator <(PageNumber left, PageNumber right) => left.Value < right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator >(PageNumber left, PageNumber right) => left.Value > right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator <=(PageNumber left, PageNumber right) => left.Value <= right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator >=(PageNumber left, PageNumber right) => left.Value >= right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static PageNumber operator +(PageNumber page, long count) => new(page.Value + count);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static PageNumber operator -(PageNumber page, long count) => new(page.Value - count);

    /// <summary>The number of pages from one to another.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long operator -(PageNumber end, PageNumber first) => end.Value - first.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static PageNumber operator ++(PageNumber page) => new(page.Value + 1);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static PageNumber operator --(PageNumber page) => new(page.Value - 1);

    /// <summary>Offset of the page in the data file.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long ByteOffset(int pageBytes) => Value * pageBytes;

    internal static PageNumber Min(PageNumber left, PageNumber right) => left < right ? left : right;

    internal static PageNumber Max(PageNumber left, PageNumber right) => left > right ? left : right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Equals(PageNumber other) => Value == other.Value;

    public override int GetHashCode() => Value.GetHashCode();

    public int CompareTo(PageNumber other) => Value.CompareTo(other.Value);

    public override string ToString() => Value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
