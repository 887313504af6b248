using System.Runtime.CompilerServices;

namespace Voron.Storage.Format;

/// <summary>
/// Id of a committed write transaction: 1 for the first one of a database, then without gaps. A snapshot is named by the last transaction
/// it sees.
/// </summary>
internal readonly record struct TransactionId(long Value) : IComparable<TransactionId>
{
    /// <summary>The state of a database to which nothing was committed.</summary>
    internal static TransactionId None => default;

    /// <summary>Newer than every transaction.</summary>
    internal static TransactionId AfterAll => new(long.MaxValue);

    internal TransactionId Next => new(checked(Value + 1));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator <(TransactionId left, TransactionId right) => left.Value < right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator >(TransactionId left, TransactionId right) => left.Value > right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator <=(TransactionId left, TransactionId right) => left.Value <= right.Value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool operator >=(TransactionId left, TransactionId right) => left.Value >= right.Value;

    internal static TransactionId Min(TransactionId left, TransactionId right) => left < right ? left : right;

    internal static TransactionId Max(TransactionId left, TransactionId right) => left > right ? left : right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Equals(TransactionId other) => Value == other.Value;

    public override int GetHashCode() => Value.GetHashCode();

    public int CompareTo(TransactionId other) => Value.CompareTo(other.Value);

    public override string ToString() => Value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
