using System.Diagnostics;
using System.Globalization;

namespace Voron.Bench.Servers;

/// <summary>The sample server in a process of its own, on a free port of this machine.</summary>
internal sealed class ServerProcess : IDisposable
{
    private const string Greeting = "Listening on ";
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly Process _process;
    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<string> _said = [];

    private ServerProcess(Process process) => _process = process;

    /// <summary>Where it listens.</summary>
    internal Uri Address => _address.Task.Result;

    /// <summary>What it has written so far.</summary>
    internal string Said
    {
        get
        {
            lock (_said)
            {
                return string.Join('\n', _said);
            }
        }
    }

    /// <summary>Starts it on a database and returns when it listens.</summary>
    /// <exception cref="IOException">It ended, or did not listen in time; the message is what it wrote.</exception>
    internal static ServerProcess Start(string program, string folder, params string[] more)
    {
        ProcessStartInfo start = new("dotnet", [program, "--urls", "http://127.0.0.1:0", "--Storage:Path", folder, .. more])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        ServerProcess server = new(Process.Start(start)!);
        server._process.OutputDataReceived += server.Hear;
        server._process.ErrorDataReceived += server.Hear;
        server._process.EnableRaisingEvents = true;
        server._process.Exited += server.Fail;
        server._process.BeginOutputReadLine();
        server._process.BeginErrorReadLine();
        try
        {
            server._address.Task.Wait(Patience);
        }
        catch (AggregateException)
        {
            // Told below.
        }

        if (!server._address.Task.IsCompletedSuccessfully)
        {
            server._process.WaitForExit(TimeSpan.FromSeconds(1));
            string said = server.Said;
            server.Dispose();
            throw new IOException($"The server does not listen. It said: {said}");
        }

        return server;
    }

    /// <summary>Ends it as a power switch would end it, as far as a process is concerned.</summary>
    internal void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <summary>Asks it to end and waits for that; its exit code.</summary>
    internal int Stop()
    {
        string number = _process.Id.ToString(CultureInfo.InvariantCulture);
        using Process kill = Process.Start("kill", ["-TERM", number]);
        kill.WaitForExit();
        return _process.WaitForExit(Patience) ? _process.ExitCode : throw new IOException($"The server does not end. It said: {Said}");
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
    }

    private void Hear(object sender, DataReceivedEventArgs line)
    {
        if (line.Data is not { } text)
        {
            return;
        }

        lock (_said)
        {
            _said.Add(text);
        }

        if (text.StartsWith(Greeting, StringComparison.Ordinal))
        {
            _address.TrySetResult(new Uri(text[Greeting.Length..]));
        }
    }

    private void Fail(object? sender, EventArgs nothing) => _address.TrySetException(new IOException("It has ended."));
}
