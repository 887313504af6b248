namespace Voron.Bench;

/// <summary>In which order the keys of a fill come.</summary>
internal enum KeyOrder
{
    /// <summary>16 random bytes.</summary>
    Random,

    /// <summary>16-digit decimal numbers with leading zeros, one after another.</summary>
    Ascending,

    /// <summary>Ids of 16 bytes as one machine gives them out in turn: a number that grows by one, then eight bytes that stay.</summary>
    SequentialId,
}
