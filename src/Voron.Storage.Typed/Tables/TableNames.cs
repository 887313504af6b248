using System.Text;

namespace Voron.Storage.Typed.Tables;

/// <summary>The names of tables, of their trees, and of the trees of this layer.</summary>
internal static class TableNames
{
    /// <summary>The tree of what the tables are: name to record.</summary>
    internal const string Tables = "@tables";

    /// <summary>The tree of sequences: name of the table to the last number that was given, 8 bytes, little-endian.</summary>
    internal const string Sequences = "@sequences";

    private const int MaxBytes = 255;
    private const char Separator = '/';

    internal static string OfIndex(string table, string index) => string.Concat(table, "/", index);

    internal static void CheckTable(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (name[0] == '@' || name.Contains(Separator))
        {
            Throw.BadTableName(name);
        }

        if (Encoding.UTF8.GetByteCount(name) > MaxBytes)
        {
            Throw.NameTooLong(name, MaxBytes);
        }
    }

    internal static void CheckIndex(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (name.Contains(Separator))
        {
            Throw.BadIndexName(name);
        }
    }

    internal static void CheckPair(string table, string index)
    {
        string name = OfIndex(table, index);
        if (Encoding.UTF8.GetByteCount(name) > MaxBytes)
        {
            Throw.NameTooLong(name, MaxBytes);
        }
    }
}
