namespace Voron.Bench.Tables;

/// <summary>A row of some 300 bytes, with what three indexes are made from.</summary>
/// <param name="Id">The primary key, ascending.</param>
/// <param name="Email">Unique, and in no order.</param>
/// <param name="City">One of a thousand.</param>
/// <param name="Age">Beside the city in an index of two parts.</param>
/// <param name="Score">In no order, mostly different.</param>
/// <param name="Text">The rest of the row.</param>
internal sealed record BenchRow(long Id, string Email, string City, int Age, long Score, byte[] Text);
