using System.Net.Sockets;
using System.Net;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>Ports of this machine that no one listens to, each given once in this process.</summary>
internal static class FreePorts
{
    private static readonly HashSet<int> Given = [];

    internal static int Next()
    {
        lock (Given)
        {
            while (true)
            {
                using TcpListener listener = new(IPAddress.Loopback, 0);
                listener.Start();
                int port = ((IPEndPoint)listener.LocalEndpoint).Port;
                if (Given.Add(port))
                {
                    return port;
                }
            }
        }
    }
}
