namespace Voron.Bench.Peers;

/// <summary>A peer's library refused a call.</summary>
/// <param name="engine">Which peer.</param>
/// <param name="what">What it was asked to do.</param>
/// <param name="error">Its word.</param>
internal sealed class PeerException(string engine, string what, string error) : IOException($"{engine} cannot {what}: {error}.")
{
    /// <summary>Throws for another error than 0.</summary>
    internal static void Demand(string engine, string what, int error)
    {
        if (error != 0)
        {
            throw new PeerException(engine, what, $"error {error}");
        }
    }
}
