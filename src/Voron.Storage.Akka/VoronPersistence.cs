using Akka.Actor;
using Akka.Configuration;

namespace Voron.Storage.Akka;

/// <summary>The environment that an actor system uses for its journal, its snapshots and its queries.</summary>
public sealed class VoronPersistence : IExtension
{
    internal VoronPersistence(ExtendedActorSystem system)
    {
        system.Settings.InjectTopLevelFallback(DefaultConfig());
        Config config = system.Settings.Config.GetConfig("akka.persistence.voron");
        if (system.Settings.Setup.Get<VoronPersistenceSetup>() is { HasValue: true } setup)
        {
            Environment = setup.Value.Environment;
        }
        else if (config.GetString("path") is { Length: > 0 } path)
        {
            Environment = StorageEnvironment.Open(path);
            system.RegisterOnTermination(Environment.Dispose);
        }
        else
        {
            throw new ConfigurationException(
                "akka.persistence.voron.path is empty. Set it to the folder of the database, or create the actor system with a "
                + "VoronPersistenceSetup.");
        }

        Store = new EventStore(system, Environment, new EventTrees(config.GetString("tree-prefix")));
    }

    /// <summary>The environment. It is closed when the actor system ends, unless a setup has handed it over.</summary>
    public StorageEnvironment Environment { get; }

    internal EventStore Store { get; }

    /// <summary>The settings of all plugins, to be used as fallback of the configuration of an actor system.</summary>
    public static Config DefaultConfig()
    {
        using Stream resource = typeof(VoronPersistence).Assembly.GetManifestResourceStream("reference.conf")!;
        using StreamReader reader = new(resource);
        return ConfigurationFactory.ParseString(reader.ReadToEnd());
    }

    /// <summary>The extension of an actor system; it opens the database at the first call.</summary>
    /// <param name="system">The actor system.</param>
    /// <exception cref="ConfigurationException">No database is named.</exception>
    public static VoronPersistence Get(ActorSystem system)
    {
        ArgumentNullException.ThrowIfNull(system);
        return system.WithExtension<VoronPersistence, VoronPersistenceProvider>();
    }
}
