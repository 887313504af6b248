using System.Diagnostics;
using FluentAssertions;
using Voron.CrashWriter;

namespace Voron.Simulation.Kills;

/// <summary>A process that says what it has acknowledged, until it is killed.</summary>
internal sealed class Victim : IDisposable
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);

    private readonly Process _process;
    private readonly Task<string> _errors;
    private readonly Task _reading;

    /// <param name="arguments">Those of the program.</param>
    internal Victim(params ReadOnlySpan<string> arguments)
    {
        _process = Process.Start(CrashProgram.Start(arguments))!;
        _errors = _process.StandardError.ReadToEndAsync();
        Told = new MessageReader(_process.StandardOutput.BaseStream);
        _reading = Task.Run(Told.ReadToEnd);
    }

    /// <summary>What it has said so far.</summary>
    internal MessageReader Told { get; }

    internal void AwaitFirstAcknowledged() => Told.FirstAcknowledged.Wait(Long).Should().BeTrue(
        "the writer starts (it said: {0})", _process.HasExited ? _errors.Result : "nothing");

    internal void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
        _reading.Wait(Long).Should().BeTrue("the pipe ends with the process");
    }

    public void Dispose() => _process.Dispose();
}
