using Voron.Storage.Tests.Trees;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// The values of the operations' model, and many puts in no order without a read between them: their leaves are found together, before the
/// first of them is made.
/// </summary>
internal static class OperationBurst
{
    private const int MostPuts = 120;

    internal static byte[] NewValue(Random random, int pageBytes)
    {
        int quarter = pageBytes / 4;
        return KeyShapes.Filled(random, random.Next(30) switch
        {
            0 => (quarter * random.Next(2)) + random.Next(2),
            1 => (quarter * 2) - random.Next(60),
            2 => random.Next(quarter * 10),
            < 8 => random.Next(quarter),
            _ => random.Next(100),
        });
    }

    /// <summary>
    /// Puts values around the length from which on they cannot be pending, a sixteenth of a page, more than one of some keys.
    /// </summary>
    internal static void Put(Random random, Tree tree, IReadOnlyList<byte[]> keys, int pageBytes, SortedDictionary<byte[], byte[]> model)
    {
        int from = random.Next(keys.Count);
        int count = Math.Min(keys.Count - from, random.Next(1, MostPuts));
        int longOneIn = random.Next(1, 4);
        for (int i = 0; i < MostPuts; i++)
        {
            byte[] key = keys[from + random.Next(count)];
            byte[] value = KeyShapes.Filled(random, random.Next(pageBytes / 16) + (random.Next(longOneIn) == 0 ? pageBytes / 16 : 0));
            tree.Put(key, value);
            model[key] = value;
        }
    }
}
