using Voron.Native;

namespace Voron.Storage.Platform;

/// <summary>A thread of the engine's own, and how it rests, both known to a schedule under test.</summary>
internal sealed class EngineThread
{
    /// <summary>The context of a thread that works for no caller: without a tenant, a user or an activity.</summary>
    private static readonly ExecutionContext DefaultContext = CaptureDefault();

    private readonly Thread? _thread;
    private readonly Action? _join;

    /// <param name="turns">Decides who runs, in tests of schedules.</param>
    /// <param name="name">For debuggers.</param>
    /// <param name="givesWay">
    /// Nobody waits for what it does now: commits, and the threads of the system that end their writes, go first where they meet it.
    /// </param>
    /// <param name="run">What it does.</param>
    internal EngineThread(ITurns? turns, string name, bool givesWay, Action run)
    {
        if (turns is not null)
        {
            _join = turns.Start(name, run);
            return;
        }

        _thread = new Thread(() =>
        {
            if (givesWay)
            {
                _ = NativeThread.GiveWay();
            }

            run();
        })
        {
            IsBackground = true,
            Name = name,
        };

        // Unsafe: the thread outlives the call that started it, and must not go on in that caller's execution context.
        _thread.UnsafeStart();
    }

    /// <summary>
    /// Runs the code of one caller on the thread of another, or of the engine: in the default execution context, and what it changes
    /// there is gone afterwards.
    /// </summary>
    internal static void RunDetached(ContextCallback run, object state) => ExecutionContext.Run(DefaultContext, run, state);

    internal bool IsCurrent => _thread == Thread.CurrentThread;

    internal static void Rest(ITurns? turns, TimeSpan time)
    {
        if (turns is null)
        {
            Interruption.Defer(Thread.Sleep, time);
        }
        else
        {
            turns.Sleep(turns, TurnPoint.Rest, time);
        }
    }

    /// <summary>
    /// Lets whoever waits for this processor go first: work in the background that computes for long calls this now and then, or the
    /// system's own thread that ends a commit's write may wait for a whole time slice behind it.
    /// </summary>
    internal static void Yield(ITurns? turns)
    {
        if (turns is null)
        {
            Thread.Yield();
        }
    }

    internal void Join()
    {
        _thread?.Join();
        _join?.Invoke();
    }

    /// <summary>No call gives the default context; a thread that was started without one has it.</summary>
    private static ExecutionContext CaptureDefault()
    {
        ExecutionContext? captured = null;
        Thread thread = new(() => captured = ExecutionContext.Capture());
        thread.UnsafeStart();
        Interruption.Defer(static started => started.Join(), thread);
        return captured!;
    }
}
