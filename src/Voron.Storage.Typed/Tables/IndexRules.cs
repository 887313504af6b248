namespace Voron.Storage.Typed.Tables;

/// <summary>Which indexes a table may have.</summary>
internal static class IndexRules
{
    internal const int MaxIndexes = 64;

    /// <summary>Refuses an index that the table cannot have beside these.</summary>
    internal static void Check(string table, ReadOnlySpan<IIndexShape> indexes, IIndexShape added)
    {
        if (indexes.Length == MaxIndexes)
        {
            Throw.TooManyIndexes(table, added.Name, MaxIndexes);
        }

        TableNames.CheckPair(table, added.Name);
        foreach (IIndexShape other in indexes)
        {
            if (other.Name == added.Name)
            {
                Throw.TwoIndexes(table, added.Name);
            }

            if (other.Kind == IndexKind.Expiry && added.Kind == IndexKind.Expiry)
            {
                Throw.TwoExpiries(table, other.Name, added.Name);
            }
        }
    }
}
