using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>A server that holds logs, in a folder of its own, started by the first test that needs it.</summary>
public abstract class LogServer : IAsyncDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SemaphoreSlim _gate = new(1);
    private ServerProcess? _process;
    private int _named;

    /// <summary>The folder that the server stores in.</summary>
    internal string Data => Path.Combine(_folder.Path, "data");

    /// <summary>A folder beside it.</summary>
    internal string Aside => Path.Combine(_folder.Path, "aside");

    internal ServerProcess Process => _process ?? throw new InvalidOperationException("It was not started.");

    /// <summary>Starts the server unless it was; skips the test where it is not installed.</summary>
    public async Task NeedAsync()
    {
        await _gate.WaitAsync();
        try
        {
            if (_process is null)
            {
                ServerProcess process = Prepare(_folder.Path);
                _process = process;
                await process.StartAsync();
            }
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>A name for a log that no other test has.</summary>
    public string NewName() => $"log{Interlocked.Increment(ref _named)}";

    /// <summary>The port that it listens on.</summary>
    internal abstract int Port { get; }

    /// <summary>Opens a log; waits for a server that has just been started.</summary>
    /// <param name="name">The name of the log.</param>
    /// <param name="port">The port of a way to the server; null for its own.</param>
    public async Task<IReplicatedLog> OpenAsync(string name, int? port = null)
    {
        using CancellationTokenSource end = new(TimeSpan.FromMinutes(1));
        while (true)
        {
            try
            {
                return await OpenLogAsync(name, port ?? Port, end.Token);
            }
            catch (LogUnavailableException) when (!end.IsCancellationRequested)
            {
                await Task.Delay(50, CancellationToken.None);
            }
        }
    }

    /// <summary>Keeps what is on the disk now: call it while the server is killed.</summary>
    internal void PutAside() => Copy(Data, Aside);

    /// <summary>Brings back what was put aside: what came later is lost.</summary>
    internal void BringBack()
    {
        Directory.Delete(Data, recursive: true);
        Copy(Aside, Data);
    }

    public async ValueTask DisposeAsync()
    {
        _process?.Dispose();
        _gate.Dispose();
        for (int attempt = 0; ; attempt++)
        {
            try
            {
                _folder.Dispose();
                break;
            }
            catch (IOException) when (attempt < 20)
            {
                await Task.Delay(50);
            }
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Makes a log of this server that of a node.</summary>
    internal abstract void UseIn(VoronReplicaBuilder node, string name);

    /// <summary>Finds the program and says how to start it.</summary>
    private protected abstract ServerProcess Prepare(string folder);

    private protected abstract Task<IReplicatedLog> OpenLogAsync(string name, int port, CancellationToken cancellation);

    private static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string folder in Directory.GetDirectories(from, "*", SearchOption.AllDirectories))
        {
            Directory.CreateDirectory(Path.Combine(to, Path.GetRelativePath(from, folder)));
        }

        foreach (string file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            File.Copy(file, Path.Combine(to, Path.GetRelativePath(from, file)), overwrite: true);
        }
    }
}
