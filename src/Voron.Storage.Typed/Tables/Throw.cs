using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Typed.Tables;

/// <summary>The faults of tables.</summary>
internal static class Throw
{
    private const string OtherName = "Define it as what is stored, or use another name and copy the rows.";

    [DoesNotReturn]
    internal static void BadTableName(string name) => throw new ArgumentException(
        $"'{name}' is no name for a table: it begins with '@' or has a '/' in it, as trees of this layer do. Use another name.",
        nameof(name));

    [DoesNotReturn]
    internal static void BadIndexName(string name) => throw new ArgumentException(
        $"'{name}' is no name for an index: a '/' separates the names of table and index. Use another name.", nameof(name));

    [DoesNotReturn]
    internal static void NameTooLong(string name, int most) => throw new ArgumentException(
        $"The name '{name}' is longer than {most} bytes in UTF-8. Use a shorter one.", nameof(name));

    [DoesNotReturn]
    internal static void NullIndex(string table, string index) => throw new ArgumentNullException(
        index, $"An index of the table '{table}' is null. Static fields are set in the order of the text: declare it above the table.");

    [DoesNotReturn]
    internal static void DefinitionInUse(string table, string index) => throw new InvalidOperationException(
        $"The index '{index}' comes too late: a transaction has opened the table '{table}'. Name all indexes where the table is defined.");

    [DoesNotReturn]
    internal static void TooManyIndexes(string table, string index, int most) => throw new InvalidOperationException(
        $"The index '{index}' is too much: the table '{table}' has {most} indexes, which is the limit. Leave one out.");

    [DoesNotReturn]
    internal static void TwoIndexes(string table, string index) => throw new ArgumentException(
        $"The table '{table}' has an index '{index}' already. Give this one another name.", nameof(index));

    [DoesNotReturn]
    internal static void TwoExpiries(string table, string first, string second) => throw new ArgumentException(
        $"The table '{table}' has two indexes of expiry, '{first}' and '{second}'. A row expires once: leave one out.", nameof(second));

    [DoesNotReturn]
    internal static void ForeignIndex(string table, string index) => throw new ArgumentException(
        $"The index '{index}' is not one of the table '{table}'. Name it in the definition's Indexes.", nameof(index));

    [DoesNotReturn]
    internal static void NullIndexKey(string index) => throw new ArgumentException(
        $"The selector of the index '{index}' gave null as a key. For a row that is not in the index a selector returns false.");

    [DoesNotReturn]
    internal static void BadKeyLength(string index, int length, int most) => throw new ArgumentException(
        $"The selector of the index '{index}' gave {length} as the length of a key, for which it had {most} bytes of room. −1 means that "
        + "the row is not in the index; declare the index with maxKeyBytes if its keys are longer.");

    [DoesNotReturn]
    internal static void OtherKeyLength(string table, int length, int wanted) => throw new ArgumentException(
        $"The primary key has {length} bytes, and those of the table '{table}' have {wanted}; nothing changed.");

    [DoesNotReturn]
    internal static void OtherVersion(string table, byte stored, byte known) => throw new TableMismatchException(
        table, $"a record of version {stored}", $"version {known}", "Use the version of this library that wrote it, or a later one.");

    [DoesNotReturn]
    internal static void BadRecord(string table) => throw new TableMismatchException(
        table,
        "a record that cannot be read",
        "a table",
        $"Was {TableNames.Tables} changed by something else? Drop the record and build the indexes again.");

    [DoesNotReturn]
    internal static void OtherKeys(string table, string stored, string declared) =>
        throw new TableMismatchException(table, $"primary keys of the codec {stored}", $"{declared}", OtherName);

    [DoesNotReturn]
    internal static void OtherIndex(string table, string index, string stored, string declared) => throw new TableMismatchException(
        table,
        $"the index '{index}', which is {stored}",
        $"{declared}",
        "Give the new index another name, and build it; the old one is dropped when no definition has it.");

    [DoesNotReturn]
    internal static void ForeignTree(string table, string index) => throw new TableMismatchException(
        table,
        $"a tree '{TableNames.OfIndex(table, index)}' with entries that no index put there",
        "an index of that name",
        "Rename that tree, or give the index another name.");

    [DoesNotReturn]
    internal static void NotBuilt(string table, string index, IndexState state)
    {
        string why = state switch
        {
            IndexState.Building => "it is being built, and rows are missing in it.",
            IndexState.Failed => "its build met two rows with the same key.",
            _ => "it was declared after the table got rows, or its tree was dropped.",
        };
        throw new IndexNotBuiltException(table, index, why);
    }

    [DoesNotReturn]
    internal static void DuplicateKey(string table, object key) => throw new DuplicateKeyException(table, key);

    [DoesNotReturn]
    internal static void NotUnique(string table, string index, object key, bool isBuild = false) =>
        throw new UniqueIndexException(table, index, key, isBuild);

    [DoesNotReturn]
    internal static void NoUniqueIndex(string table, string index) => throw new InvalidOperationException(
        $"The index '{index}' of the table '{table}' is not unique, so a key may have many rows. Use Equal.");

    [DoesNotReturn]
    internal static void KeyChanged(string table, object before, object after) => throw new ArgumentException(
        $"An update of the table '{table}' changes the key of a row from {before} to {after}; nothing changed. Insert the new row and "
        + "delete the old one.");

    [DoesNotReturn]
    internal static void NoRow(string table, string index) => throw new InvalidOperationException(
        $"The index '{index}' of the table '{table}' has an entry for a row that does not exist. Check shows all such entries. Were rows "
        + $"changed without the table? Drop the tree '{TableNames.OfIndex(table, index)}' and build the index again.");

    [DoesNotReturn]
    internal static void NoTuple(string index) => throw new InvalidOperationException(
        $"The keys of the index '{index}' have a codec of your own, of which the parts are not known. Use From and To, or KeyCodec.Tuple.");

    [DoesNotReturn]
    internal static void NoExpiry(string table) => throw new ArgumentException(
        $"The table '{table}' has no index of expiry, so no row expires. Name one in the definition's Indexes: Index.Expiry(…).");
}
