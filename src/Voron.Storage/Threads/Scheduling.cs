using System.Runtime.CompilerServices;

namespace Voron.Storage.Threads;

/// <summary>
/// The points at which a deterministic scheduler may switch threads. Only programs that bring such a scheduler set the switch; without it
/// the JIT compiler removes every use of this class.
/// </summary>
internal static class Scheduling
{
    [ThreadStatic]
    private static IScheduler? _current;

    /// <summary>The value of the switch "Voron.Storage.Scheduling".</summary>
    private static bool IsOn { get; } = AppContext.TryGetSwitch("Voron.Storage.Scheduling", out bool isOn) && isOn;

    /// <summary>The scheduler of this thread; null for all threads that the operating system schedules.</summary>
    internal static IScheduler? Current => IsOn ? _current : null;

    /// <summary>Another thread may run before the caller continues.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Pass(SchedulingPoint point) => Current?.Pass(point);

    /// <summary>Returns an object to sleep on, where there can be a scheduler.</summary>
    internal static object? MakeWaitObject() => IsOn ? new object() : null;

    /// <summary>Continues on any thread; under a scheduler, which knows only its own threads, in the context of the caller.</summary>
    internal static ConfiguredTaskAwaitable<T> OnAnyThread<T>(this Task<T> task) => task.ConfigureAwait(Current is not null);

    /// <inheritdoc cref="OnAnyThread{T}(Task{T})"/>
    internal static ConfiguredValueTaskAwaitable<T> OnAnyThread<T>(this ValueTask<T> task) => task.ConfigureAwait(Current is not null);

    /// <inheritdoc cref="OnAnyThread{T}(Task{T})"/>
    internal static ConfiguredValueTaskAwaitable OnAnyThread(this ValueTask task) => task.ConfigureAwait(Current is not null);

    /// <summary>The engine's code runs under this scheduler on the calling thread until the scope ends.</summary>
    internal static Scope Use(IScheduler scheduler)
    {
        if (!IsOn)
        {
            Throw.NoScheduling();
        }

        Scope scope = new(_current);
        _current = scheduler;
        return scope;
    }

    internal readonly ref struct Scope(IScheduler? before)
    {
        private readonly IScheduler? _before = before;

        public void Dispose() => _current = _before;
    }
}
