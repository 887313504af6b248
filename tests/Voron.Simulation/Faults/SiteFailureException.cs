namespace Voron.Simulation.Faults;

/// <summary>A failed call of the engine's was answered wrongly.</summary>
internal sealed class SiteFailureException : Exception
{
    internal SiteFailureException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
