using System.Text.Json;
using Voron.Samples.Server;
using Voron.Storage.Replication;

namespace Voron.Samples.Cluster;

/// <summary>
/// How this node is, how all processes of the cluster are, and the page that shows them. Any node can kill and start any process: the
/// cluster is on one machine, for one user, and listens on loopback only.
/// </summary>
internal sealed class ClusterApi(NodeSettings settings, Lazy<Leadership> leadership)
{
    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromSeconds(1) };

    internal void Map(IEndpointRouteBuilder routes)
    {
        routes.MapGet("/", PageAsync);
        routes.MapGet("/cluster", StatusAsync);
        routes.MapGet("/processes", ProcessesAsync);
        routes.MapPost("/processes/{name}/{what}", ControlAsync);
    }

    private Task PageAsync(HttpContext context) => TryFind(out ClusterFile? cluster)
        ? Page.AnswerAsync(context, string.Join(' ', cluster!.Nodes.Select(static node => node.Url)))
        : Page.AnswerAsync(context);

    private Task StatusAsync(HttpContext context) => Requests.AnswerAsync(context, json =>
    {
        ReplicaStatus status = leadership.Value.Replica.Status;
        string? leader = leadership.Value.Address;
        json.WriteStartObject();
        json.WriteString("name", settings.Name);
        json.WriteString("role", NameOf(status.Role));
        json.WriteString("leader", leader);
        json.WriteString("leaderName", leader is null ? null : status.Leader);
        json.WriteNumber("epoch", status.Epoch);
        json.WriteNumber("transactionId", status.TransactionId);
        json.WriteNumber("lag", status.Lag);
        json.WriteStartObject("log");
        json.WriteString("kind", settings.Log);
        json.WriteNumber("position", status.Position);
        json.WriteNumber("end", status.LogEnd);
        json.WriteNumber("sinceEndSeconds", status.SinceEnd.TotalSeconds);
        json.WriteNumber("voids", status.Voids);
        json.WriteString("trouble", status.LogTrouble?.Message);
        json.WriteEndObject();
        json.WriteString("failure", status.Failure?.Message);
        json.WriteEndObject();
    });

    private async Task ProcessesAsync(HttpContext context)
    {
        if (!IsAllowed(context, out ClusterFile? cluster))
        {
            return;
        }

        JsonElement?[] answers = await Task.WhenAll(cluster!.Nodes.Select(static node => AskAsync(node.Url)));
        await Requests.AnswerAsync(context, json =>
        {
            json.WriteStartArray();
            foreach ((Running one, int i) in cluster.All.Select(static (one, i) => (one, i)))
            {
                int pid = Processes.Find(one.Start);
                json.WriteStartObject();
                json.WriteString("name", one.Name);
                json.WriteString("url", one.Url);
                json.WriteBoolean("isNode", i < answers.Length);
                json.WriteNumber("pid", pid);
                json.WriteString("state", pid == 0 ? "dead" : Processes.IsStopped(pid) ? "stopped" : "running");
                if (i < answers.Length && answers[i] is { } answer)
                {
                    json.WritePropertyName("status");
                    answer.WriteTo(json);
                }

                json.WriteEndObject();
            }

            json.WriteEndArray();
        });
    }

    private Task ControlAsync(HttpContext context)
    {
        if (!IsAllowed(context, out ClusterFile? cluster))
        {
            return Task.CompletedTask;
        }

        Running? one = cluster!.All.FirstOrDefault(one => one.Name == (string?)context.Request.RouteValues["name"]);
        string? what = (string?)context.Request.RouteValues["what"];
        if (one is null || what is not ("kill" or "start"))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        }

        int pid = Processes.Find(one.Start);
        if (what == "start" && pid == 0)
        {
            _ = Processes.Start(one.Start);
        }
        else if (what == "kill" && pid == Environment.ProcessId)
        {
            // The answer first.
            context.Response.OnCompleted(() =>
            {
                Processes.Kill(pid);
                return Task.CompletedTask;
            });
        }
        else if (what == "kill" && pid != 0)
        {
            Processes.Kill(pid);
        }

        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return Task.CompletedTask;
    }

    /// <summary>
    /// Pages of the cluster's nodes may ask any node, as the page goes on when its own node is killed; other pages may not.
    /// </summary>
    private bool IsAllowed(HttpContext context, out ClusterFile? cluster)
    {
        string origin = context.Request.Headers.Origin.ToString();
        if (!TryFind(out cluster))
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            return false;
        }

        if (origin.Length > 0 && !cluster!.Nodes.Any(node => node.Url == origin))
        {
            context.Response.StatusCode = StatusCodes.Status403Forbidden;
            return false;
        }

        context.Response.Headers.AccessControlAllowOrigin = origin.Length > 0 ? origin : default;
        return true;
    }

    private bool TryFind(out ClusterFile? cluster)
    {
        cluster = File.Exists(settings.Cluster) ? ClusterFile.Read(settings.Cluster) : null;
        return cluster is not null;
    }

    private static async Task<JsonElement?> AskAsync(string url)
    {
        try
        {
            using JsonDocument answer = JsonDocument.Parse(await Client.GetStringAsync(url + "/cluster"));
            return answer.RootElement.Clone();
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException or JsonException)
        {
            return null;
        }
    }

    private static string NameOf(ReplicaRole role) => role switch
    {
        ReplicaRole.Leader => "leader",
        ReplicaRole.Follower => "follower",
        _ => "stopped",
    };
}
