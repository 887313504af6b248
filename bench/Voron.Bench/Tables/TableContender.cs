using Voron.Bench.Peers;

namespace Voron.Bench.Tables;

/// <summary>A store in the verb tables, and what it did. The second argument of the opening says whether it has its indexes.</summary>
internal sealed record TableContender(string Name, StoreKind Kind, Func<string, bool, ITableStore> Open)
{
    internal const string SqliteName = "microsoft.data.sqlite (nuget)";
    internal const string LiteName = "litedb (nuget)";

    /// <summary>All of them, without rounds.</summary>
    internal static IReadOnlyList<TableContender> All() =>
    [
        new(OurStore.Name, StoreKinds.Ours, static (folder, _) => new OurTableStore(folder)),
        new(SqliteName, StoreKinds.Find(SqliteName),
            static (folder, hasIndexes) => new SqliteTableStore(folder, StoreKinds.SqliteSettings, hasIndexes)),
        new(LiteName, StoreKinds.Find(LiteName), static (folder, hasIndexes) => new LiteTableStore(folder, hasIndexes)),
    ];

    /// <summary>Seconds of a transaction, round by round.</summary>
    internal List<double> Inserts { get; } = [];

    /// <summary>Seconds of a get by the unique index, round by round.</summary>
    internal List<double> Gets { get; } = [];

    /// <summary>Seconds of an index build, round by round.</summary>
    internal List<double> Builds { get; } = [];

    /// <summary>Rows that were inserted in the last round.</summary>
    internal int Rows { get; set; }
}
