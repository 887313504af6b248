using System.Net;
using System.Net.Sockets;

namespace Voron.Samples.Cluster;

/// <summary>Free ports of this machine.</summary>
internal static class Ports
{
    /// <summary>
    /// Below those that the system gives to outgoing connections, one of which could otherwise have the port of a process that was killed
    /// and starts again.
    /// </summary>
    private const int First = 20_000;
    private const int Last = 32_000;

    internal static int[] Free(int count)
    {
        List<TcpListener> held = [];
        try
        {
            while (held.Count < count)
            {
                TcpListener listener = new(IPAddress.Loopback, Random.Shared.Next(First, Last));
                try
                {
                    listener.Start();
                    held.Add(listener);
                }
                catch (SocketException)
                {
                    listener.Dispose();
                }
            }

            return [.. held.Select(static one => ((IPEndPoint)one.LocalEndpoint).Port)];
        }
        finally
        {
            held.ForEach(static one => one.Dispose());
        }
    }

    internal static async Task<bool> IsOpenAsync(Uri address, CancellationToken stop)
    {
        using TcpClient client = new();
        try
        {
            await client.ConnectAsync(address.Host, address.Port, stop);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
