using System.Net;
using System.Net.Sockets;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>
/// A way to a server on this machine that can be interrupted like a network: nothing gets through, nothing is closed, and what was sent
/// meanwhile arrives later.
/// </summary>
internal sealed class Relay : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _end = new();
    private readonly int _target;
    private volatile TaskCompletionSource _isOpen = Opened();

    /// <param name="target">The port of the server.</param>
    internal Relay(int target)
    {
        _target = target;
        _listener.Start();
        _ = AcceptAsync();
    }

    internal int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    internal void Interrupt() => _isOpen = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    internal void Restore() => _isOpen.TrySetResult();

    public void Dispose()
    {
        _end.Cancel();
        Restore();
        _listener.Dispose();
    }

    private static TaskCompletionSource Opened()
    {
        TaskCompletionSource open = new();
        open.SetResult();
        return open;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = CarryAsync(await _listener.AcceptTcpClientAsync(_end.Token));
            }
        }
        catch (Exception error) when (error is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private async Task CarryAsync(TcpClient client)
    {
        using (client)
        using (TcpClient server = new())
        {
            try
            {
                await _isOpen.Task;
                await server.ConnectAsync(IPAddress.Loopback, _target, _end.Token);
                client.NoDelay = true;
                server.NoDelay = true;
                await Task.WhenAny(CopyAsync(client, server), CopyAsync(server, client));
            }
            catch (Exception error) when (error is OperationCanceledException or SocketException)
            {
                // Both sides see a closed connection.
            }
        }
    }

    private async Task CopyAsync(TcpClient from, TcpClient to)
    {
        byte[] bytes = new byte[64 << 10];
        try
        {
            while (await from.GetStream().ReadAsync(bytes, _end.Token) is > 0 and var read)
            {
                await _isOpen.Task;
                await to.GetStream().WriteAsync(bytes.AsMemory(0, read), _end.Token);
            }
        }
        catch (Exception error) when (error is OperationCanceledException or IOException or InvalidOperationException)
        {
            // The connection ends.
        }
    }
}
