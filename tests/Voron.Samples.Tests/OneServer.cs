using Voron.Bench.Servers;
using Voron.Storage.Tests.Doors;

namespace Voron.Samples.Tests;

/// <summary>A server for several tests, each with collections of its own.</summary>
public sealed class OneServer : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ServerProcess _server;

    public OneServer()
    {
        _server = ServerProcess.Start(Sample.Server, Database);
        Client = new HttpClient { BaseAddress = _server.Address };
    }

    internal string Database => Path.Combine(_folder.Path, "db");

    internal HttpClient Client { get; }

    public void Dispose()
    {
        Client.Dispose();
        _server.Dispose();
        _folder.Dispose();
    }
}
