namespace Voron.Bench.Measuring;

/// <summary>One row before it is measured.</summary>
/// <param name="Name">The row's name.</param>
/// <param name="Engine">Which engine.</param>
/// <param name="Mode">What a commit has achieved when it returns, in the words of 2013.</param>
/// <param name="Durability">The same in the engine's words, with whatever else is set.</param>
/// <param name="Work">One round.</param>
internal sealed record Contender(string Name, string Engine, string Mode, string Durability, Func<Measured> Work)
{
    /// <summary>Why it cannot run, with the command that helps; null when it can.</summary>
    public string? Missing { get; init; }

    /// <summary>The versions of the engine and of what it comes in; null for what has none.</summary>
    public string? Version { get; init; }

    /// <summary>Whether it is somebody else's engine.</summary>
    internal bool IsPeer => !Engine.StartsWith(Peers.OurStore.Name, StringComparison.Ordinal);
}
