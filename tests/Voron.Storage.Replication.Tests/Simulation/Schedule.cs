using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>
/// One order of events on three nodes and a log, drawn by a seed: entries come late, twice or never, the log checks the condition of an
/// append or does not, nodes crash and lose what is not durable, places are saved and torn, snapshots are made and the log is trimmed.
/// </summary>
internal sealed class Schedule
{
    private const int Nodes = 3;
    private readonly Random _random;
    private readonly Node[] _nodes;
    private readonly List<byte[]> _log = [];
    private readonly List<Message> _flying = [];
    private readonly Dictionary<long, ulong> _made = [];
    private readonly Dictionary<long, (int Node, long Epoch, ulong Content)> _acknowledged = [];
    private readonly List<(ReplicaSnapshot Snapshot, ulong[] Transactions)> _snapshots = [];
    private readonly double _ignored;
    private long _first = 1;

    private Schedule(int seed)
    {
        _random = new Random(seed);
        _ignored = _random.Next(3) * 0.5;
        _nodes = [.. Enumerable.Range(0, Nodes).Select(number => new Node(this, number))];
    }

    /// <summary>Transactions that were acknowledged, entries that counted for nothing, and changes of the leader.</summary>
    internal (long Acknowledged, long Voids, long Leaders) Figures { get; private set; }

    internal bool DiesNow => _random.Next(20) == 0;

    private long Last => _first - 1 + _log.Count;

    /// <summary>Runs a schedule to its end, and checks that all nodes are equal then.</summary>
    /// <exception cref="ViolationException">A promise does not hold.</exception>
    internal static (long Acknowledged, long Voids, long Leaders) Run(int seed, int steps)
    {
        Schedule schedule = new(seed);
        for (int i = 0; i < steps; i++)
        {
            schedule.Step();
        }

        schedule.End();
        return schedule.Figures;
    }

    internal byte[]? EntryAt(long position, Node node)
    {
        if (position >= _first)
        {
            return position > Last ? null : _log[(int)(position - _first)];
        }

        BeginAnew(node);
        return null;
    }

    /// <summary>A database has a transaction: it must be the one that every other has under that number.</summary>
    internal void Made(long id, ulong content)
    {
        if (!_made.TryAdd(id, content) && _made[id] != content)
        {
            throw new ViolationException($"transaction {id} differs between two nodes");
        }
    }

    internal void Acknowledge(Node node, long id, ulong content)
    {
        if (!_acknowledged.TryAdd(id, (node.Number, node.Core.State.Epoch, content)))
        {
            throw new ViolationException($"transaction {id} was acknowledged by node {_acknowledged[id].Node} and by node {node.Number}");
        }

        Figures = Figures with { Acknowledged = Figures.Acknowledged + 1 };
    }

    /// <summary>A node leads: it must have what any earlier leader has acknowledged. It may be late, and deposed already.</summary>
    internal void Leads(Node node)
    {
        CheckHasAll(node, node.Core.State.Epoch);
        Figures = Figures with { Leaders = Figures.Leaders + 1 };
    }

    private void CheckHasAll(Node node, long before)
    {
        foreach ((long id, (int by, long epoch, ulong content)) in _acknowledged)
        {
            if (epoch >= before)
            {
                continue;
            }

            if (node.Store.LastTransaction < id || node.Store.Transactions[(int)id - 1] != content)
            {
                throw new ViolationException($"node {node.Number} lacks transaction {id}, which node {by} has acknowledged");
            }
        }
    }

    private void Step()
    {
        Node node = _nodes[_random.Next(Nodes)];
        int what = _random.Next(100);
        if (what < 40)
        {
            node.Read();
        }
        else if (what < 62)
        {
            Deliver();
        }
        else if (what < 85)
        {
            Send(node);
        }
        else if (what < 88)
        {
            Claim(node);
        }
        else
        {
            Disturb(node, what);
        }
    }

    private void Disturb(Node node, int what)
    {
        switch (what)
        {
            case < 94:
                node.Save(_random, isTorn: false);
                break;
            case < 96:
                node.Crash(_random);
                break;
            case 96:
                node.Save(_random, isTorn: true);
                node.Crash(_random);
                break;
            case 97 when node.Core.IsLeader:
                // Its commits take too long.
                node.Restart();
                break;
            case 98 when node.Core.Safe.Position > 0:
                Snapshot(node);
                break;
            default:
                break;
        }
    }

    /// <summary>A leader begins a batch or a sign of life, or sends again what has not counted.</summary>
    private void Send(Node node)
    {
        if (node.Pending is null)
        {
            Batch? batch = _random.Next(4) == 0 ? null : Batch.Random(_random, node.Store.LastTransaction);
            Outgoing? outgoing = node.Core.TrySend(batch is null ? [] : batch.Bytes, 8 + _random.Next(64), 0);
            node.Pending = outgoing is null ? null : (outgoing, batch);
        }

        if (node.Pending is { } pending)
        {
            long end = node.Core.State.Position;
            foreach (byte[] entry in pending.Outgoing.Uncounted().Span)
            {
                if (_random.Next(8) > 0)
                {
                    _flying.Add(new Message(entry, end));
                }

                end++;
            }
        }
    }

    /// <summary>A node asks to lead. It should have read to the end, and is safe if it has not.</summary>
    private void Claim(Node node)
    {
        if (!node.Core.IsLeader && (node.Core.State.Position == Last || _random.Next(4) == 0))
        {
            // Two nodes are the same in all but what is random.
            byte[] claim = node.Core.MakeClaim(RandomGuid(), "node", string.Empty, 0, RandomGuid());
            _flying.Add(new Message(claim, node.Core.State.Position));
        }
    }

    private Guid RandomGuid()
    {
        byte[] bytes = new byte[16];
        _random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private void Deliver()
    {
        if (_flying.Count == 0)
        {
            return;
        }

        // Mostly in order, and now and then far out of it.
        int at = _random.Next(6) == 0 ? _random.Next(_flying.Count) : 0;
        Message message = _flying[at];
        int fate = _random.Next(10);
        if (fate > 0)
        {
            _flying.RemoveAt(at);
        }

        if (fate != 1 && (message.Expected == Last || _random.NextDouble() < _ignored))
        {
            _log.Add(message.Bytes);
        }
    }

    private void Snapshot(Node node)
    {
        LogState safe = node.Core.Safe;
        if (node.Store.LastTransaction < safe.TransactionId || _snapshots.Any(one => one.Snapshot.Position == safe.Position))
        {
            return;
        }

        _snapshots.Add((
            new ReplicaSnapshot(safe.Position, safe.TransactionId, LogStateBytes.Write(safe, 1)), [.. node.Store.Transactions]));
        _snapshots.Sort(static (one, other) => other.Snapshot.Position.CompareTo(one.Snapshot.Position));
        long below = SnapshotRule.TrimBelow([.. _snapshots.Select(static one => one.Snapshot)]);
        int count = (int)Math.Clamp(below - _first, 0, _log.Count);
        _log.RemoveRange(0, count);
        _first += count;
    }

    private void BeginAnew(Node node)
    {
        ReplicaSnapshot? chosen = SnapshotRule.Choose([.. _snapshots.Select(static one => one.Snapshot)], _first)
            ?? throw new ViolationException($"the log begins at {_first}, and no snapshot leads there");
        ulong[] transactions = _snapshots.First(one => one.Snapshot == chosen).Transactions;
        node.Begin(LogStateBytes.TryRead(chosen.State.Span, out _)!, transactions);
    }

    /// <summary>The network calms down: all read to the end, one leads and writes, and then all are equal.</summary>
    private void End()
    {
        _flying.Clear();
        foreach (Node node in _nodes)
        {
            ReadToEnd(node);
        }

        Node last = _nodes[_random.Next(Nodes)];
        for (int i = 0; i < 3 && !last.Core.IsLeader; i++)
        {
            _log.Add(last.Core.MakeClaim(RandomGuid(), "node", string.Empty, 0, RandomGuid()));
            ReadToEnd(last);
        }

        if (!last.Core.IsLeader)
        {
            throw new ViolationException($"node {last.Number} cannot lead in a quiet log");
        }

        for (int i = 0; i < 20 && (i == 0 || last.Pending is not null); i++)
        {
            Send(last);
            while (_flying.Count > 0)
            {
                _log.Add(_flying[0].Bytes);
                _flying.RemoveAt(0);
            }

            ReadToEnd(last);
        }

        foreach (Node node in _nodes)
        {
            ReadToEnd(node);
            CheckHasAll(node, long.MaxValue);
            if (!node.Store.Transactions.SequenceEqual(last.Store.Transactions))
            {
                throw new ViolationException($"nodes {node.Number} and {last.Number} differ in the end");
            }

            Figures = Figures with { Voids = Figures.Voids + node.Core.Voids };
        }
    }

    private void ReadToEnd(Node node)
    {
        // A node that begins anew, or again, stops reading for once.
        for (int i = 0; i < 10 && node.Core.State.Position < Last; i++)
        {
            while (node.Read())
            {
            }
        }
    }
}
