namespace Voron.Simulation.Faults;

/// <summary>A place in the engine that asks the disk or the system for something, and that must bear a refusal.</summary>
/// <param name="Id">Room, type, method and operation; with a number when the method does it several times.</param>
/// <param name="Operation">The member of the disk seam, or <see cref="Memory"/>.</param>
/// <param name="MethodToken">Metadata token of the method.</param>
/// <param name="Offset">Of the call in the method's code.</param>
internal sealed record CallSite(string Id, string Operation, int MethodToken, int Offset)
{
    /// <summary>The operation of all sites that ask for native memory.</summary>
    internal const string Memory = "Memory";
}
