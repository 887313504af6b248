using Voron.Native;

namespace Voron.Storage.Threads;

/// <summary>
/// A thread of the engine, and how it sleeps and yields. A deterministic scheduler knows both. The thread begins with its first work and
/// may end when it has none: on Linux a thread is four memory maps, of which a process has a limited number, and most open databases are
/// idle.
/// <para>It begins and ends under one lock of its owner, so work that arrives while it ends begins another thread.</para>
/// </summary>
/// <param name="name">For debuggers.</param>
/// <param name="rank">How it shares the processors.</param>
/// <param name="run">What it does.</param>
internal sealed class EngineThread(string name, ThreadRank rank, Action run)
{
    /// <summary>The context of a thread that works for no caller: without a tenant, a user or an activity.</summary>
    private static readonly ExecutionContext DefaultContext = CaptureDefault();

    /// <summary>Never changes: a wait on it ends with its time.</summary>
    private static readonly WaitWord Unchanged = new();

    private Thread? _thread;
    private Action? _join;
    private bool _runs;

    internal bool IsCurrent => _thread == Thread.CurrentThread;

    /// <summary>
    /// Begins the thread unless it runs; false if the system has no thread to give. The caller holds the lock of the owner.
    /// </summary>
    internal bool TryBegin()
    {
        if (_runs)
        {
            return true;
        }

        // Set first: a scheduler may run the thread at once.
        _runs = true;
        if (Scheduling.Current is { } scheduler)
        {
            _join = scheduler.Start(name, run);
            return true;
        }

        Thread thread = new(Run) { IsBackground = true, Name = name };
        try
        {
            // Unsafe: the thread outlives the call that started it, and must not run in the execution context of that caller.
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

    /// <summary>Notes that the thread is about to return, with nothing left to do. It holds the lock of the owner.</summary>
    internal void End() => _runs = false;

    /// <summary>
    /// Runs code of one caller on the thread of another, or of the engine, in the default execution context; changes that it makes to the
    /// context are discarded.
    /// </summary>
    internal static void RunDetached(ContextCallback run, object state) => ExecutionContext.Run(DefaultContext, run, state);

    /// <summary>Runs long work of a caller on a thread of its own; on one of the pool if the system has no thread to give.</summary>
    /// <param name="work">The work.</param>
    /// <param name="rank">How it shares the processors. If it takes the writer lock, commits would wait all the longer for less.</param>
    /// <param name="threads">For tests: begins the thread.</param>
    internal static ValueTask<T> RunAside<T>(Func<T> work, ThreadRank rank, TaskScheduler? threads = null)
    {
        const TaskCreationOptions OwnThread = TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach;
        try
        {
            return new(Task.Factory.StartNew(Run, CancellationToken.None, OwnThread, threads ?? TaskScheduler.Default));
        }
        catch (TaskSchedulerException)
        {
            return new(Task.Run(work));
        }

        T Run()
        {
            Take(rank);
            return work();
        }
    }

    /// <summary>The shortest time that <see cref="Rest"/> keeps about: other systems than Linux count in milliseconds.</summary>
    internal static TimeSpan ShortestRest { get; } = TimeSpan.FromMicroseconds(OperatingSystem.IsLinux() ? 200 : 1000);

    internal static void Rest(TimeSpan time)
    {
        if (Scheduling.Current is { } scheduler)
        {
            scheduler.Sleep(scheduler, SchedulingPoint.Rest, time);
        }
        else if (OperatingSystem.IsLinux())
        {
            Unchanged.Wait(Unchanged.Value, time);
        }
        else
        {
            Interruption.Defer(Thread.Sleep, time);
        }
    }

    /// <summary>
    /// Lets threads that wait for this processor run first. Background work that computes for long calls this now and then; otherwise the
    /// system thread that ends the write of a commit may wait for a whole time slice. Does nothing under a scheduler, which switches at
    /// its own points only.
    /// </summary>
    internal static void Yield()
    {
        if (Scheduling.Current is null)
        {
            Thread.Yield();
        }
    }

    /// <summary>
    /// Spins once or yields, and never sleeps: an interrupted thread would leave a sleep with an exception. False under a scheduler, where
    /// nothing changes while the caller spins.
    /// </summary>
    internal static bool Spin(ref SpinWait spin)
    {
        if (Scheduling.Current is not null)
        {
            return false;
        }

        if (spin.NextSpinWillYield)
        {
            Thread.Yield();
        }
        else
        {
            spin.SpinOnce();
        }

        return true;
    }

    /// <summary>Has a thread of the pool run the work; false under a scheduler, which does not know those: the caller runs it.</summary>
    internal static bool TryQueue(IThreadPoolWorkItem work) =>
        Scheduling.Current is null && ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);

    /// <summary>Waits for the end of the thread, if there is one; the owner begins none any more.</summary>
    internal void Join()
    {
        _thread?.Join();
        _join?.Invoke();
    }

    private void Run()
    {
        Take(rank);
        run();
    }

    /// <summary>Gives the calling thread a rank.</summary>
    private static void Take(ThreadRank rank) => _ = rank switch
    {
        ThreadRank.GivesWay => NativeThread.GiveWay(),
        ThreadRank.StepsBack => NativeThread.StepBack(),
        _ => NativeResult.Success,
    };

    /// <summary>Captures the default context: a thread that was started without one has it.</summary>
    private static ExecutionContext CaptureDefault()
    {
        ExecutionContext? captured = null;
        Thread thread = new(() => captured = ExecutionContext.Capture());
        thread.UnsafeStart();
        Interruption.Defer(static started => started.Join(), thread);
        return captured!;
    }
}
