using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Voron.Bench.Servers;

/// <summary>
/// Connections that put one small document after another, each when the one before is acknowledged. Sockets, not a client library, so that
/// the load takes as little as possible of the processor that the server needs.
/// </summary>
/// <param name="server">Where the server listens.</param>
/// <param name="collection">Where the documents go.</param>
/// <param name="connections">How many at once.</param>
internal sealed class HttpLoad(Uri server, string collection, int connections)
{
    internal const int BodyBytes = 100;
    private const string Digits = "D9";
    private const int DigitCount = 9;

    private readonly int[] _acknowledged = new int[connections];

    /// <summary>Documents acknowledged, of all connections.</summary>
    internal long Acknowledged => Enumerable.Range(0, connections).Sum(connection => (long)AcknowledgedOf(connection));

    internal int Connections => connections;

    /// <summary>Documents acknowledged of one connection: those with smaller numbers.</summary>
    internal int AcknowledgedOf(int connection) => Volatile.Read(ref _acknowledged[connection]);

    internal static string IdOf(int connection, int number) =>
        string.Create(CultureInfo.InvariantCulture, $"c{connection:D3}-{number:D9}");

    internal static string BodyOf(int connection, int number) =>
        string.Create(CultureInfo.InvariantCulture, $"{{\"number\":\"{number:D9}\",\"connection\":{connection}")
            .PadRight(BodyBytes - 1) + "}";

    /// <summary>Runs until each connection has so many more documents acknowledged. False when the server went away before.</summary>
    /// <param name="each">Documents a connection.</param>
    /// <param name="latencies">One for each connection; null when nobody wants them.</param>
    internal async Task<bool> RunAsync(int each, Latencies[]? latencies = null)
    {
        bool[] whole = await Task.WhenAll(Enumerable.Range(0, connections).Select(async connection =>
        {
            try
            {
                return await RunAsync(connection, each, latencies?[connection]).ConfigureAwait(false);
            }
            catch (SocketException)
            {
                return false;
            }
        })).ConfigureAwait(false);
        return whole.All(static one => one);
    }

    private async Task<bool> RunAsync(int connection, int each, Latencies? latencies)
    {
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(server.Host, server.Port).ConfigureAwait(false);
        byte[] request = RequestOf(connection, out int idAt, out int bodyAt);
        byte[] answer = new byte[4096];
        int first = AcknowledgedOf(connection);
        for (int number = first; number < first + each; number++)
        {
            number.TryFormat(request.AsSpan(idAt), out _, Digits, CultureInfo.InvariantCulture);
            number.TryFormat(request.AsSpan(bodyAt), out _, Digits, CultureInfo.InvariantCulture);
            long begun = Stopwatch.GetTimestamp();
            await socket.SendAsync(request).ConfigureAwait(false);
            if (!await IsAcknowledgedAsync(socket, answer).ConfigureAwait(false))
            {
                return false;
            }

            latencies?.Add(begun, Stopwatch.GetTimestamp());
            Volatile.Write(ref _acknowledged[connection], number + 1);
        }

        return true;
    }

    /// <summary>An answer without a body. False when the connection has ended.</summary>
    private static async ValueTask<bool> IsAcknowledgedAsync(Socket socket, byte[] answer)
    {
        int length = 0;
        do
        {
            int received = await socket.ReceiveAsync(answer.AsMemory(length)).ConfigureAwait(false);
            if (received == 0)
            {
                return false;
            }

            length += received;
        }
        while (!answer.AsSpan(0, length).EndsWith("\r\n\r\n"u8));

        return answer.AsSpan(0, length).StartsWith("HTTP/1.1 204 "u8)
            ? true
            : throw new IOException($"The server answered: {Encoding.ASCII.GetString(answer, 0, length)}");
    }

    private byte[] RequestOf(int connection, out int idAt, out int bodyAt)
    {
        string id = IdOf(connection, 0);
        string body = BodyOf(connection, 0);
        string head = string.Create(
            CultureInfo.InvariantCulture,
            $"PUT /docs/{collection}/{id} HTTP/1.1\r\nHost: {server.Authority}\r\nContent-Length: {BodyBytes}\r\n\r\n");
        idAt = head.IndexOf(id, StringComparison.Ordinal) + id.Length - DigitCount;
        bodyAt = head.Length + body.IndexOf(":\"", StringComparison.Ordinal) + 2;
        return Encoding.ASCII.GetBytes(head + body);
    }
}
