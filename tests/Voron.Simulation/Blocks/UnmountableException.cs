namespace Voron.Simulation.Blocks;

/// <summary>The file system refuses what is on the device.</summary>
internal sealed class UnmountableException(string message) : InvalidOperationException(message);
