using Akka.Actor;
using Akka.Persistence;

namespace Voron.Adapters.Tests.Actors;

/// <summary>Remembers texts as events, and takes a snapshot when it is told so.</summary>
internal sealed class Account : ReceivePersistentActor
{
    private readonly List<string> _texts = [];

    public Account(string id)
    {
        PersistenceId = id;
        Recover<string>(_texts.Add);
        Recover<SnapshotOffer>(offer => _texts.AddRange(((string)offer.Snapshot).Split('|')));
        Command<string>(text => Persist(text, stored =>
        {
            _texts.Add(stored);
            Sender.Tell(_texts.ToArray());
        }));
        Command<bool>(_ =>
        {
            IActorRef asker = Sender;
            SaveSnapshot(string.Join('|', _texts));
            Become(() => Command<SaveSnapshotSuccess>(_ => asker.Tell(true)));
        });
    }

    public override string PersistenceId { get; }
}
