namespace Voron.Bench.Io;

/// <summary>Kinds of system calls in a trace.</summary>
internal enum IoKind
{
    Write,
    Sync,

    /// <summary>The work that counts begins.</summary>
    Begin,

    /// <summary>The work that counts is over.</summary>
    End,
}
