using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Doors;

namespace Voron.Storage.Replication.Tests;

/// <summary>Nodes of one database on a simulated log, in folders of their own. At the end all databases are checked.</summary>
internal sealed class Cluster : IAsyncDisposable
{
    /// <summary>The tree of pairs, if a test has one.</summary>
    internal const string Pairs = "pairs";

    private readonly TemporaryFolder _folder = new();
    private readonly Dictionary<string, Replica> _nodes = [];
    private readonly Dictionary<string, SimulatedLog.Client> _clients = [];

    internal Cluster(SimulatedLog? log = null) => Log = log ?? new SimulatedLog();

    internal SimulatedLog Log { get; }

    /// <summary>How long a test waits for anything before it fails.</summary>
    internal static TimeSpan Patience { get; } = TimeSpan.FromSeconds(60);

    internal Action<ReplicaOptions> Configure { get; set; } = static _ => { };

    internal Replica this[string name] => _nodes[name];

    internal IEnumerable<Replica> Nodes => _nodes.Values;

    internal SimulatedLog.Client ClientOf(string name) => _clients[name];

    internal string FolderOf(string name) => Path.Combine(_folder.Path, name);

    internal async Task<Replica> StartAsync(string name, bool mayLead = true)
    {
        ReplicaOptions options = new()
        {
            NodeName = name,
            Address = $"http://{name}",
            MayLead = mayLead,
            LeaderTimeout = TimeSpan.FromMilliseconds(400),
            HeartbeatInterval = TimeSpan.FromMilliseconds(60),
            CommitTimeout = TimeSpan.FromSeconds(20),
            SaveInterval = TimeSpan.FromMilliseconds(30),
        };
        Configure(options);
        SimulatedLog.Client client = Log.Connect();
        _clients[name] = client;
        return _nodes[name] = await Replica.OpenAsync(FolderOf(name), client, options);
    }

    internal async Task StopAsync(string name)
    {
        _nodes.Remove(name, out Replica? node);
        await node!.DisposeAsync();
    }

    /// <summary>The node that leads; waits until one does.</summary>
    internal async Task<Replica> LeaderAsync()
    {
        Replica? leader = null;
        await UntilAsync(() => (leader = _nodes.Values.FirstOrDefault(static node => node.Role == ReplicaRole.Leader)) is not null);
        return leader!;
    }

    internal static async Task UntilAsync(Func<bool> holds)
    {
        using CancellationTokenSource limit = new(Patience);
        while (!holds())
        {
            await Task.Delay(5, limit.Token);
        }
    }

    internal static async Task<long> PutAsync(Replica node, string key, string value) =>
        await node.Environment.WriteAsync(
            static (transaction, pair) =>
            {
                transaction.OpenTree("t").Put(Bytes(pair.key), Bytes(pair.value));
                return transaction.TransactionId;
            },
            (key, value));

    internal static string? Get(Replica node, string key)
    {
        using ReadTransaction transaction = node.Environment.BeginRead();
        return transaction.TryOpenTree("t", out ReadTree tree) && tree.TryGet(Bytes(key), out ReadOnlySpan<byte> value)
            ? Encoding.UTF8.GetString(value) : null;
    }

    /// <summary>All trees of a node's newest snapshot as text, and its number.</summary>
    internal static (long Transaction, string Content) Content(Replica node)
    {
        using ReadTransaction transaction = node.Environment.BeginRead();
        StringBuilder text = new();
        foreach (string name in transaction.TreeNames)
        {
            text.Append(name).Append('\n');
            if (name == Pairs)
            {
                foreach (MultiEntry pair in transaction.OpenMultiTree(name))
                {
                    text.Append(Convert.ToHexString(pair.Key)).Append('=').Append(Convert.ToHexString(pair.Value)).Append('\n');
                }

                continue;
            }

            foreach (TreeEntry entry in transaction.OpenTree(name))
            {
                text.Append(Convert.ToHexString(entry.Key)).Append('=').Append(Convert.ToHexString(entry.Value)).Append('\n');
            }
        }

        return (transaction.TransactionId, text.ToString());
    }

    /// <summary>Waits until all nodes are where one is, and finds them equal.</summary>
    internal async Task AreEqualAsync()
    {
        Replica leader = await LeaderAsync();
        await leader.ReadBarrierAsync().AsTask().WaitAsync(Patience);
        (long last, string content) = Content(leader);
        foreach (Replica node in _nodes.Values)
        {
            await node.WaitForAsync(last).AsTask().WaitAsync(Patience);
            Content(node).Should().Be((last, content));
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (Replica node in _nodes.Values)
        {
            await node.DisposeAsync();
        }

        foreach (string name in _clients.Keys)
        {
            using StorageEnvironment environment = StorageEnvironment.Open(FolderOf(name));
            environment.Check().Findings.Should().BeEmpty();
        }

        _folder.Dispose();
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
