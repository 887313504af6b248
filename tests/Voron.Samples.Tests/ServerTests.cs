using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text.Json;
using FluentAssertions;
using Voron.Bench.Servers;
using Xunit;

namespace Voron.Samples.Tests;

/// <summary>What the server answers, asked over its own door.</summary>
public sealed class ServerTests(OneServer one) : IClassFixture<OneServer>
{
    private HttpClient Client => one.Client;

    [Fact]
    public async Task Documents_go_in_and_out()
    {
        (await PutAsync("docs/users/42", """{"name":"Ada"}""")).Should().Be(HttpStatusCode.NoContent);
        (await PutAsync("docs/users/43", "")).Should().Be(HttpStatusCode.NoContent);
        (await PutAsync("docs/users/a/b c", "with a slash")).Should().Be(HttpStatusCode.NoContent);
        (await Client.GetStringAsync("docs/users/42")).Should().Be("""{"name":"Ada"}""");
        (await Client.GetStringAsync("docs/users/43")).Should().BeEmpty();
        (await Client.GetStringAsync("docs/users/a/b c")).Should().Be("with a slash");
        (await Client.GetAsync("docs/users/4")).StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await Client.GetAsync("docs/nobody/4")).StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await Client.DeleteAsync("docs/users/43")).StatusCode.Should().Be(HttpStatusCode.NoContent);
        (await Client.DeleteAsync("docs/users/43")).StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await Client.GetStringAsync("docs")).Should().Contain("\"users\":2");
    }

    [Fact]
    public async Task Long_bodies_with_and_without_a_length_come_back_whole()
    {
        byte[] body = RandomNumberGenerator.GetBytes((3 << 20) + 17);
        foreach (bool isChunked in new[] { false, true })
        {
            using HttpRequestMessage put = new(HttpMethod.Put, $"docs/blobs/{isChunked}");
            put.Content = new ByteArrayContent(body);
            put.Headers.TransferEncodingChunked = isChunked;
            (await Client.SendAsync(put)).StatusCode.Should().Be(HttpStatusCode.NoContent);
            using HttpResponseMessage got = await Client.GetAsync($"docs/blobs/{isChunked}");
            got.Content.Headers.ContentLength.Should().Be(body.Length);
            (await got.Content.ReadAsByteArrayAsync()).AsSpan().SequenceEqual(body).Should().BeTrue();
        }
    }

    [Fact]
    public async Task Scans_go_in_order_from_a_place_within_a_prefix()
    {
        foreach (string id in new[] { "a1", "a2", "a3", "b1" })
        {
            await PutAsync($"docs/scan/{id}", id);
        }

        (await ScanAsync("")).Should().Equal("a1", "a2", "a3", "b1");
        (await ScanAsync("?prefix=a")).Should().Equal("a1", "a2", "a3");
        (await ScanAsync("?prefix=a&from=a2")).Should().Equal("a2", "a3");
        (await ScanAsync("?from=a3&take=1")).Should().Equal("a3");
        (await ScanAsync("?prefix=c")).Should().BeEmpty();

        async Task<string?[]> ScanAsync(string query)
        {
            using JsonDocument answer = JsonDocument.Parse(await Client.GetStringAsync("docs/scan" + query));
            return [.. answer.RootElement.EnumerateArray().Select(static entry => entry.GetProperty("id").GetString())];
        }
    }

    [Fact]
    public async Task A_batch_is_applied_as_a_whole_or_not_at_all()
    {
        await PutAsync("docs/a/1", "old");
        (await PostAsync("""[{"put":"b/2","document":{"x":1}},{"delete":"a/1"},{"delete":"c/9"}]""")).Should().Be("""{"applied":3}""");
        (await Client.GetStringAsync("docs/b/2")).Should().Be("""{"x":1}""");
        (await Client.GetAsync("docs/a/1")).StatusCode.Should().Be(HttpStatusCode.NotFound);
        string tooLong = new('k', 3000);
        (await PostAsync($$"""[{"put":"b/3","document":1},{"put":"b/{{tooLong}}","document":1}]""")).Should().Contain("3000");
        (await Client.GetAsync("docs/b/3")).StatusCode.Should().Be(HttpStatusCode.NotFound, "its batch was refused");

        async Task<string> PostAsync(string json)
        {
            using StringContent content = new(json, new MediaTypeHeaderValue("application/json"));
            using HttpResponseMessage answer = await Client.PostAsync("batch", content);
            return await answer.Content.ReadAsStringAsync();
        }
    }

    [Theory]
    [InlineData("GET", "docs/a?take=0", null)]
    [InlineData("POST", "batch", "no json")]
    [InlineData("POST", "batch", """[{"rename":"a/1"}]""")]
    [InlineData("POST", "batch", """[{"delete":"nothing"}]""")]
    public async Task A_wrong_request_is_told_so(string method, string path, string? body)
    {
        using HttpRequestMessage request = new(new HttpMethod(method), path);
        request.Content = body is null ? null : new StringContent(body);
        using HttpResponseMessage answer = await Client.SendAsync(request);
        answer.StatusCode.Should().Be(HttpStatusCode.BadRequest);
        (await answer.Content.ReadAsStringAsync()).Should().NotBeEmpty();
    }

    [Fact]
    public async Task Metrics_and_health_are_served()
    {
        await PutAsync("docs/a/1", "x");
        string metrics = await Client.GetStringAsync("metrics");
        metrics.Should().Contain("voron_storage_name=\"default\"")
            .And.Contain("voron_storage_commits_total{").And.Contain("voron_storage_commit_duration_seconds_count{")
            .And.Contain("voron_storage_file_size_bytes{").And.Contain("# TYPE voron_storage_commit_duration_seconds histogram");
        (await Client.GetStringAsync("health")).Should().StartWith("Healthy: Storage 'default' is open.");
    }

    [Fact]
    public void A_second_server_on_the_same_database_does_not_start_and_says_why()
    {
        Action second = () => ServerProcess.Start(Sample.Server, one.Database).Dispose();
        second.Should().Throw<IOException>().Which.Message.Should().Contain("StorageLockedException").And.Contain(one.Database);
    }

    private async Task<HttpStatusCode> PutAsync(string path, string body)
    {
        using StringContent content = new(body);
        using HttpResponseMessage answer = await Client.PutAsync(path, content);
        return answer.StatusCode;
    }
}
