using System.Net;
using System.Text.Json;
using FluentAssertions;
using Xunit;

namespace Voron.Samples.Tests.Clusters;

/// <summary>Three nodes on three servers of a log, with what a client does and what befalls them.</summary>
public sealed class ClusterTests
{
    private const string Path = "/docs/users/a%20b/42";

    [Theory]
    [InlineData("nats")]
    [InlineData("etcd")]
    public async Task Documents_survive_the_leader_and_all_nodes_agree(string log)
    {
        using RunningCluster cluster = await RunningCluster.StartAsync(log);
        cluster.Nodes.Should().HaveCount(3);
        cluster.Log.Should().HaveCount(3);
        OneProcess leader = await cluster.LeaderAsync(cluster.Nodes);
        await ConditionsAsync(cluster, leader);
        await OtherAnswersAsync(cluster, leader);

        OneProcess[] others = [.. cluster.Nodes.Where(node => node != leader)];
        string before = await cluster.PutAsync("/docs/users/before", "1", leader);
        RunningCluster.Kill(leader.Pid);
        string after = await cluster.PutAsync("/docs/users/after", "2", others);
        (await cluster.LeaderAsync(others)).Should().NotBe(leader);
        cluster.Start(leader);
        await cluster.LeaderAsync(cluster.Nodes);
        string last = await cluster.PutAsync("/docs/users/last", "3", cluster.Nodes);
        foreach (OneProcess node in cluster.Nodes)
        {
            await ReadLatestAsync(cluster, node, "/docs/users/before", "1", before);
            await ReadLatestAsync(cluster, node, "/docs/users/after", "2", after);
            await ReadLatestAsync(cluster, node, "/docs/users/last", "3", last);
            using HttpResponseMessage ids = await cluster.AskAsync(node, HttpMethod.Get, "/docs/users");
            (await ids.Content.ReadAsStringAsync()).Should().Contain("before").And.Contain("after").And.Contain("last");
            JsonElement status = await cluster.StatusAsync(node);
            status.GetProperty("leader").GetString().Should().NotBeNull();
            status.GetProperty("epoch").GetInt64().Should().BeGreaterThan(1);
            status.GetProperty("failure").ValueKind.Should().Be(JsonValueKind.Null);
        }

        await cluster.EndAsync();
    }

    private static async Task ConditionsAsync(RunningCluster cluster, OneProcess leader)
    {
        string first = await PutAsync(HttpStatusCode.NoContent, "A", ("If-None-Match", "*"));
        await PutAsync(HttpStatusCode.PreconditionFailed, "B", ("If-None-Match", "*"));
        string second = await PutAsync(HttpStatusCode.NoContent, "B", ("If-Match", first));
        string third = await PutAsync(HttpStatusCode.NoContent, "A", ("If-Match", $"\"x\", {second}"));
        third.Should().NotBe(first, "a document that was changed back is another version");
        await PutAsync(HttpStatusCode.PreconditionFailed, "C", ("If-Match", first));
        (await DeleteAsync(("If-Match", first))).Should().Be(HttpStatusCode.PreconditionFailed);
        await ReadLatestAsync(cluster, leader, Path, "A", third);
        (await DeleteAsync(("If-Match", third))).Should().Be(HttpStatusCode.NoContent);
        (await DeleteAsync()).Should().Be(HttpStatusCode.NotFound);
        await PutAsync(HttpStatusCode.PreconditionFailed, "C", ("If-Match", "*"));
        (await PutAsync(HttpStatusCode.NoContent, "A")).Should().NotBe(first).And.NotBe(third);

        async Task<string> PutAsync(HttpStatusCode expected, string body, params (string, string)[] headers)
        {
            using HttpResponseMessage answer = await cluster.AskAsync(leader, HttpMethod.Put, Path, body, headers);
            answer.StatusCode.Should().Be(expected, await answer.Content.ReadAsStringAsync());
            return answer.Headers.ETag?.ToString() ?? string.Empty;
        }

        async Task<HttpStatusCode> DeleteAsync(params (string, string)[] headers)
        {
            using HttpResponseMessage answer = await cluster.AskAsync(leader, HttpMethod.Delete, Path, null, headers);
            return answer.StatusCode;
        }
    }

    private static async Task OtherAnswersAsync(RunningCluster cluster, OneProcess leader)
    {
        OneProcess follower = cluster.Nodes.First(node => node != leader);
        foreach (HttpMethod method in (HttpMethod[])[HttpMethod.Put, HttpMethod.Delete])
        {
            // On a slow machine a leader may be silent for so long that the follower knows of none.
            await cluster.UntilAsync(async () =>
            {
                using HttpResponseMessage sent = await cluster.AskAsync(follower, method, Path + "?x=1%202", "A");
                return sent.StatusCode == HttpStatusCode.TemporaryRedirect
                    && sent.Headers.Location!.OriginalString == leader.Url + Path + "?x=1%202";
            });
        }

        using HttpResponseMessage missing = await cluster.AskAsync(follower, HttpMethod.Get, "/docs/users/nobody?read=latest");
        missing.StatusCode.Should().Be(HttpStatusCode.NotFound);
        using HttpResponseMessage own = await cluster.AskAsync(leader, HttpMethod.Put, "/docs/$users/1", "A");
        own.StatusCode.Should().Be(HttpStatusCode.BadRequest);
        using HttpResponseMessage foreign = await cluster.AskAsync(
            leader, HttpMethod.Post, $"/processes/{leader.Name}/kill", null, ("Origin", "http://elsewhere"));
        foreign.StatusCode.Should().Be(HttpStatusCode.Forbidden);
        using HttpResponseMessage batch = await cluster.AskAsync(
            leader, HttpMethod.Post, "/batch", """[{"put":"b/1","document":{"x":1}},{"delete":"b/2"}]""");
        (await batch.Content.ReadAsStringAsync()).Should().Be("""{"applied":2}""");
        using HttpResponseMessage collections = await cluster.AskAsync(leader, HttpMethod.Get, "/docs");
        (await collections.Content.ReadAsStringAsync()).Should().Be("""{"b":1,"users":1}""");
    }

    private static async Task ReadLatestAsync(RunningCluster cluster, OneProcess node, string path, string body, string version) =>
        await cluster.UntilAsync(async () =>
        {
            using HttpResponseMessage answer = await cluster.AskAsync(node, HttpMethod.Get, path + "?read=latest");
            if (answer.StatusCode == HttpStatusCode.ServiceUnavailable)
            {
                answer.Headers.RetryAfter.Should().NotBeNull();
                return false;
            }

            (await answer.Content.ReadAsStringAsync()).Should().Be(body);
            answer.Headers.ETag!.ToString().Should().Be(version);
            return true;
        });
}
