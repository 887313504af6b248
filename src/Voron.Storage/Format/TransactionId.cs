namespace Voron.Storage.Format;

/// <summary>
/// Id of a committed write transaction: 1 for the first one of a database, then without gaps. A snapshot is named by the last transaction
/// it sees.
/// </summary>
internal readonly record struct TransactionId(long Value)
{
    /// <summary>The state of a database to which nothing was committed.</summary>
    internal static TransactionId None => default;

    internal TransactionId Next => new(checked(Value + 1));

    public override string ToString() => Value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
