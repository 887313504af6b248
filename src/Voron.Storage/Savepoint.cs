namespace Voron.Storage;

/// <summary>
/// A state of a write transaction that <see cref="WriteTransaction.RollbackTo"/> can restore, until the savepoint is released, a rollback
/// to an earlier one discards it, or the transaction ends.
/// </summary>
public readonly struct Savepoint : IEquatable<Savepoint>
{
    internal Savepoint(Transactions.WriteSession session, long number)
    {
        Session = session;
        Number = number;
    }

    internal Transactions.WriteSession? Session { get; }

    internal long Number { get; }

    /// <inheritdoc/>
    public bool Equals(Savepoint other) => Session == other.Session && Number == other.Number;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Savepoint other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Session, Number);

    /// <summary>True if both are the same savepoint.</summary>
    public static bool operator ==(Savepoint left, Savepoint right) => left.Equals(right);

    /// <summary>True if they are different savepoints.</summary>
    public static bool operator !=(Savepoint left, Savepoint right) => !left.Equals(right);
}
