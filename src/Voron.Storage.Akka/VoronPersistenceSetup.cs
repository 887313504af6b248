using Akka.Actor.Setup;

namespace Voron.Storage.Akka;

/// <summary>
/// Hands an open environment to an actor system: <c>BootstrapSetup.Create().And(new VoronPersistenceSetup(environment))</c>.
/// </summary>
public sealed class VoronPersistenceSetup : Setup
{
    /// <summary>Makes a setup.</summary>
    /// <param name="environment">An environment that is open for writing, which the caller closes after the actor system has ended.</param>
    public VoronPersistenceSetup(StorageEnvironment environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        Environment = environment;
    }

    /// <summary>The environment.</summary>
    public StorageEnvironment Environment { get; }
}
