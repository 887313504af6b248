namespace Voron.Bench.Io;

/// <summary>Kinds of system calls in a trace.</summary>
internal enum IoKind
{
    Write,
    Sync,

    /// <summary>A mark of the traced process: the work that counts begins.</summary>
    Begin,

    /// <summary>A mark of the traced process: a commit has returned.</summary>
    Commit,

    /// <summary>A mark of the traced process: the work that counts is over.</summary>
    End,
}
