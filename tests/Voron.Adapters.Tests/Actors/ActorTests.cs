using Akka.Actor;
using Akka.Configuration;
using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Akka;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Adapters.Tests.Actors;

/// <summary>Persistent actors over a database that is named in the configuration.</summary>
public sealed class ActorTests
{
    [Fact]
    public async Task An_actor_recovers_from_snapshot_and_events_after_a_restart()
    {
        using TemporaryFolder folder = new();
        await using (OneSystem first = new(folder.Path))
        {
            IActorRef account = first.System.ActorOf(Props.Create(() => new Account("ada")));
            await account.Ask<string[]>("one", OneSystem.Patience);
            await account.Ask<string[]>("two", OneSystem.Patience);
            (await account.Ask<bool>(true, OneSystem.Patience)).Should().BeTrue();
        }

        await using (OneSystem second = new(folder.Path))
        {
            IActorRef account = second.System.ActorOf(Props.Create(() => new Account("ada")));
            (await account.Ask<string[]>("three", OneSystem.Patience)).Should().Equal("one", "two", "three");
            (await second.AllOf(second.Queries.CurrentPersistenceIds())).Should().Equal("ada");
        }

        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree("akka/events").Count.Should().Be(3);
    }

    [Fact]
    public async Task Without_a_path_the_error_says_what_to_do()
    {
        using ActorSystem system = ActorSystem.Create("tests", VoronPersistence.DefaultConfig());
        Action get = () => VoronPersistence.Get(system);
        get.Should().Throw<ConfigurationException>().WithMessage("*akka.persistence.voron.path*VoronPersistenceSetup*");
        await system.Terminate();
    }
}
