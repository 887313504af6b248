using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Voron.Storage.Extensions.Tests;

/// <summary>What was logged.</summary>
internal sealed class LogLines : ILoggerProvider, ILogger
{
    internal ConcurrentQueue<(LogLevel Level, int Id, string Text, Exception? Error)> All { get; } = new();

    public ILogger CreateLogger(string categoryName) => this;

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        All.Enqueue((logLevel, eventId.Id, formatter(state, exception), exception));

    public void Dispose()
    {
    }
}
