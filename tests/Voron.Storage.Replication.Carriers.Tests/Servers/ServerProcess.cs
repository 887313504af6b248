using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Net;
using System.Text;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>A server as a child process, which may be killed and started again on the same port with the same folder.</summary>
internal sealed class ServerProcess : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly string _program;
    private readonly string[] _arguments;
    private readonly int _port;
    private readonly StringBuilder _said = new();
    private Process? _process;

    internal ServerProcess(string program, int port, params string[] arguments)
    {
        _program = program;
        _port = port;
        _arguments = arguments;
        AppDomain.CurrentDomain.ProcessExit += OnExit;
    }

    /// <summary>What the server has printed, for a failure's message.</summary>
    internal string Said
    {
        get
        {
            lock (_said)
            {
                return _said.ToString();
            }
        }
    }

    /// <summary>Starts the process and waits until it listens.</summary>
    internal async Task StartAsync()
    {
        ProcessStartInfo start = new(_program)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        foreach (string argument in _arguments)
        {
            start.ArgumentList.Add(argument);
        }

        Process process = new() { StartInfo = start };
        process.OutputDataReceived += OnLine;
        process.ErrorDataReceived += OnLine;
        process.Start();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        _process = process;
        using CancellationTokenSource end = new(Patience);
        while (!await ListensAsync(end.Token))
        {
            if (process.HasExited || end.IsCancellationRequested)
            {
                throw new InvalidOperationException($"{_program} does not listen on port {_port}:\n{Said}");
            }

            await Task.Delay(20, CancellationToken.None);
        }
    }

    /// <summary>kill -9: the process has no chance to write anything more.</summary>
    internal void Kill()
    {
        if (_process is { } process)
        {
            _process = null;
            process.Kill();
            process.WaitForExit((int)Patience.TotalMilliseconds);
            process.Dispose();
        }
    }

    /// <summary>Stops the process where it is, and waits until it stands still.</summary>
    internal async Task StopAsync()
    {
        Signal("STOP");
        while (StateOf(_process!.Id) != 'T')
        {
            await Task.Delay(1);
        }
    }

    /// <summary>Lets a stopped process go on.</summary>
    internal void Continue() => Signal("CONT");

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnExit;
        Kill();
    }

    private void Signal(string name)
    {
        using Process kill = Process.Start("kill", ["-" + name, _process!.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    /// <summary>The letter behind the name, which is in brackets.</summary>
    private static char StateOf(int process)
    {
        string status = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/stat"));
        return status[status.LastIndexOf(')') + 2];
    }

    private async Task<bool> ListensAsync(CancellationToken cancellation)
    {
        using TcpClient client = new();
        try
        {
            await client.ConnectAsync(IPAddress.Loopback, _port, cancellation);
            return true;
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException)
        {
            return false;
        }
    }

    private void OnLine(object sender, DataReceivedEventArgs line)
    {
        lock (_said)
        {
            _said.AppendLine(line.Data);
        }
    }

    private void OnExit(object? sender, EventArgs e) => Kill();
}
