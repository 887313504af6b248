using Voron.Native;

namespace Voron.Storage.Platform;

/// <summary>
/// A thread of the engine's own, and how it rests, both known to a schedule under test. It begins with its first work and may end when it
/// has none: on Linux a thread is four memory maps, of which a process has a limited number, and most open databases are at rest.
/// <para>It is begun, and ends, under one lock of its owner, so work that comes while it ends begins another one.</para>
/// </summary>
/// <param name="turns">Decides which thread runs; null leaves that to the operating system.</param>
/// <param name="name">For debuggers.</param>
/// <param name="givesWay">
/// No caller waits for its present work, so commits and the system's threads that complete their writes run first.
/// </param>
/// <param name="run">What it does.</param>
internal sealed class EngineThread(ITurns? turns, string name, bool givesWay, Action run)
{
    /// <summary>The context of a thread that works for no caller: without a tenant, a user or an activity.</summary>
    private static readonly ExecutionContext DefaultContext = CaptureDefault();

    private Thread? _thread;
    private Action? _join;
    private bool _runs;

    internal bool IsCurrent => _thread == Thread.CurrentThread;

    /// <summary>Begins the thread unless it runs. False: the system has no thread to give. The caller holds the owner's lock.</summary>
    internal bool TryBegin()
    {
        if (_runs)
        {
            return true;
        }

        // Said first: the schedule under test may run the thread at once.
        _runs = true;
        if (turns is not null)
        {
            _join = turns.Start(name, run);
            return true;
        }

        Thread thread = new(Run) { IsBackground = true, Name = name };
        try
        {
            // Unsafe: the thread outlives the call that started it, and must not go on in that caller's execution context.
            thread.UnsafeStart();
        }
        catch (OutOfMemoryException)
        {
            _runs = false;
            return false;
        }

        _thread = thread;
        return true;
    }

    /// <summary>The thread is about to return, with nothing left to do. It holds the owner's lock.</summary>
    internal void End() => _runs = false;

    /// <summary>
    /// Runs the code of one caller on the thread of another, or of the engine: in the default execution context, and what it changes
    /// there is gone afterwards.
    /// </summary>
    internal static void RunDetached(ContextCallback run, object state) => ExecutionContext.Run(DefaultContext, run, state);

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
    /// Lets threads that wait for this processor run first: work in the background that computes for long calls this now and then, or the
    /// system's own thread that ends a commit's write may wait for a whole time slice behind it.
    /// </summary>
    internal static void Yield(ITurns? turns)
    {
        if (turns is null)
        {
            Thread.Yield();
        }
    }

    /// <summary>Returns when the thread has ended, if there is one; the owner begins none any more.</summary>
    internal void Join()
    {
        _thread?.Join();
        _join?.Invoke();
    }

    private void Run()
    {
        if (givesWay)
        {
            _ = NativeThread.GiveWay();
        }

        run();
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
