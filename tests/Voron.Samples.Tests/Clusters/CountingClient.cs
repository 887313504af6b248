using System.Globalization;
using System.Net;
using FluentAssertions;

namespace Voron.Samples.Tests.Clusters;

/// <summary>
/// Counts up a document of its own, one request after the other, on whichever node answers. When an outcome is unknown, it leaves that
/// document, whose value is then one of two, and begins another.
/// </summary>
internal sealed class CountingClient(RunningCluster cluster, int number, int seed)
{
    private readonly Random _random = new((seed * 31) + number);

    /// <summary>Of documents that were left: the least and the greatest value that they may have; 0 is none.</summary>
    private readonly List<(string Path, int Least, int Most)> _left = [];
    private long _acknowledged;
    private int _document;
    private int _value;

    internal long Acknowledged => Interlocked.Read(ref _acknowledged);

    internal int Unknown => _left.Count;

    private string Path => string.Create(CultureInfo.InvariantCulture, $"/docs/counts/{number}-{_document}");

    internal async Task RunAsync(CancellationToken end)
    {
        OneProcess node = AnyNode();
        while (!end.IsCancellationRequested)
        {
            (HttpStatusCode? status, string? elsewhere) = await TryPutAsync(node);
            switch (status)
            {
                case HttpStatusCode.NoContent:
                    _value++;
                    Interlocked.Increment(ref _acknowledged);
                    if (_random.Next(10) == 0)
                    {
                        await TryReadAsync(Path, _value, _value);
                    }

                    break;
                case HttpStatusCode.TemporaryRedirect:
                    node = cluster.Nodes.First(one => elsewhere!.StartsWith(one.Url, StringComparison.Ordinal));
                    break;
                case HttpStatusCode.ServiceUnavailable:
                    await Task.Delay(50, CancellationToken.None);
                    node = AnyNode();
                    break;
                case null or HttpStatusCode.GatewayTimeout:
                    _left.Add((Path, _value, _value + 1));
                    (_document, _value) = (_document + 1, 0);
                    node = AnyNode();
                    break;
                default:
                    throw new InvalidOperationException($"A node answers {(int)status} to a PUT.");
            }
        }

        _left.Add((Path, _value, _value));
    }

    /// <summary>Every document has a value that it may have, on all nodes.</summary>
    internal async Task CompareAsync()
    {
        foreach ((string path, int least, int most) in _left)
        {
            foreach (OneProcess node in cluster.Nodes)
            {
                await cluster.UntilAsync(() => TryReadAsync(path, least, most, node));
            }
        }
    }

    private OneProcess AnyNode() => cluster.Nodes[_random.Next(cluster.Nodes.Length)];

    private async Task<(HttpStatusCode? Status, string? Elsewhere)> TryPutAsync(OneProcess node)
    {
        try
        {
            string body = (_value + 1).ToString(CultureInfo.InvariantCulture);
            using HttpResponseMessage answer = await cluster.AskAsync(node, HttpMethod.Put, Path, body);
            return (answer.StatusCode, answer.Headers.Location?.OriginalString);
        }
        catch (HttpRequestException error) when (error.HttpRequestError == HttpRequestError.ConnectionError)
        {
            // The node is not there, and was not asked.
            return (HttpStatusCode.ServiceUnavailable, null);
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException)
        {
            return (null, null);
        }
    }

    /// <summary>Reads the newest state; false if it cannot be had now.</summary>
    private async Task<bool> TryReadAsync(string path, int least, int most, OneProcess? node = null)
    {
        node ??= AnyNode();
        try
        {
            using HttpResponseMessage answer = await cluster.AskAsync(node, HttpMethod.Get, path + "?read=latest");
            if (answer.StatusCode is not (HttpStatusCode.OK or HttpStatusCode.NotFound))
            {
                return false;
            }

            string body = await answer.Content.ReadAsStringAsync();
            int found = answer.StatusCode == HttpStatusCode.NotFound ? 0 : int.Parse(body, CultureInfo.InvariantCulture);
            found.Should().BeInRange(least, most, "{0} on {1} was acknowledged up to {2}", path, node.Name, least);
            return true;
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException)
        {
            return false;
        }
    }
}
