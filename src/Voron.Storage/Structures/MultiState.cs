namespace Voron.Storage.Structures;

/// <summary>The position of a <see cref="MultiPosition"/>.</summary>
internal enum MultiState : byte
{
    /// <summary>Not moved yet.</summary>
    Unset = 0,

    /// <summary>On a pair.</summary>
    OnPair = 1,

    /// <summary>Where a pair would be that does not exist; the moves lead to its neighbours.</summary>
    Between = 2,

    /// <summary>Before the first pair.</summary>
    BeforeFirst = 3,

    /// <summary>After the last pair.</summary>
    BehindLast = 4,
}
