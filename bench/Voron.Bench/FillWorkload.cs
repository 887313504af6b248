using System.Globalization;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>A fill: so many transactions of 100 puts each, one after another from one caller.</summary>
/// <param name="Order">Order of the keys.</param>
/// <param name="Mode">What a commit has achieved when it returns.</param>
/// <param name="Transactions">How many.</param>
internal sealed record FillWorkload(KeyOrder Order, CommitMode Mode, int Transactions)
{
    internal const int ItemsPerTransaction = 100;

    internal int Items => Transactions * ItemsPerTransaction;

    /// <summary>The mode in the words of 2013.</summary>
    internal string ModeName => Mode == CommitMode.Durable ? "sync" : "buff";

    /// <summary>The row's name as the matrix of 2013 spells it.</summary>
    internal string Name => string.Create(
        CultureInfo.InvariantCulture, $"fill {(Order == KeyOrder.Random ? "rnd" : "seq")} {ModeName} {Transactions:N0} tx");
}
