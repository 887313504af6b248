namespace Voron.Bench.Peers;

/// <summary>The lengths of a database's files: of those that hold the entries, and of its journal or log.</summary>
internal readonly record struct StoreFiles(long DataBytes, long JournalBytes)
{
    /// <summary>Adds them up; a store may remove files meanwhile.</summary>
    internal static StoreFiles In(string folder)
    {
        long data = 0;
        long journal = 0;
        foreach (FileInfo file in new DirectoryInfo(folder).EnumerateFiles("*", SearchOption.AllDirectories))
        {
            long bytes = LengthOf(file);
            bool isJournal = file.Extension == ".log" || file.Directory!.Name == "journal";
            _ = isJournal ? journal += bytes : data += bytes;
        }

        return new StoreFiles(data, journal);
    }

    private static long LengthOf(FileInfo file)
    {
        try
        {
            return file.Length;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }
}
