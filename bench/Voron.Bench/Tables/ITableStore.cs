namespace Voron.Bench.Tables;

/// <summary>A store of rows with a unique index by e-mail, one by city and age, and one by score.</summary>
internal interface ITableStore : IDisposable
{
    void Begin();

    void Insert(BenchRow row);

    /// <summary>Durable when it returns.</summary>
    void Commit();

    /// <summary>Finds the row with an e-mail address and reads all of it; returns its number, or −1.</summary>
    long Find(string email);

    /// <summary>Number of rows.</summary>
    long Count();

    /// <summary>Fills a store that has no index, as fast as it can.</summary>
    void Load(RowData data, int rows);

    /// <summary>Builds the index by e-mail over the rows that are there.</summary>
    void BuildIndex();

    /// <summary>Compares rows and indexes, where the store can.</summary>
    void Check();
}
