using System.Globalization;

namespace Voron.Bench.Multi;

/// <summary>How many keys, how many values of each, and how long.</summary>
internal sealed record MultiShape(int Keys, int ValuesOfKey, int ValueBytes)
{
    /// <summary>Few large sets, many small ones, very large ones, and longer values.</summary>
    internal static readonly IReadOnlyList<MultiShape> All =
    [
        new(1_000, 1_000, 8), new(100_000, 10, 8), new(10, 100_000, 8), new(1_000, 1_000, 32),
    ];

    /// <summary>Whether the room of its pairs has a bound.</summary>
    internal bool HasRoomGate => ValueBytes == 8 && ValuesOfKey <= 1_000;

    /// <summary>The same number of values of each key, and fewer keys; of few keys, fewer values.</summary>
    internal MultiShape Scaled(double scale) => Keys >= 1_000
        ? this with { Keys = Math.Max(10, (int)(Keys * scale)) }
        : this with { ValuesOfKey = Math.Max(10, (int)(ValuesOfKey * scale)) };

    internal PairData Make(ulong seed) => new(Keys, ValuesOfKey, ValueBytes, seed);

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Keys:N0} x {ValuesOfKey:N0} x {ValueBytes}");
}
