using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Lets one real thread run at a time and hands the turn on where the engine says that another one may run, by the decisions of a strategy
/// or a tape. All that follows is determined by the decisions, which are noted. Time passes only when all sleep: then one of those that
/// sleep for a time wakes. When nobody does, that is a deadlock.
/// <para>Only one thread runs at a time, so every schedule is sequentially consistent: what a processor reorders is not explored.</para>
/// </summary>
internal sealed class TokenScheduler : IScheduler
{
    private const int MostMoments = 400_000;

    /// <summary>Time passes for everybody: who sleeps for a time is not left asleep for good by one who looks and sleeps again.</summary>
    private const int MostPassedOver = 64;
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    [ThreadStatic]
    private static ScheduledThread? _current;

    private readonly IDecisions _decisions;
    private readonly List<ScheduledThread> _threads = [];
    private readonly List<ScheduledThread> _ready = [];
    private readonly List<int> _choices = [];
    private readonly ThreadWord _over = new();
    private CrashFailureException? _failure;

    private readonly bool _exploresChains;

    /// <param name="decisions">Who goes on.</param>
    /// <param name="exploresChains">
    /// Others may run between the steps that change a chain of page versions; there are too many such points for every schedule.
    /// </param>
    internal TokenScheduler(IDecisions decisions, bool exploresChains = false)
    {
        _decisions = decisions;
        _exploresChains = exploresChains;
    }

    /// <summary>Sees every moment before the decision that it stands for, on the thread whose turn it is.</summary>
    internal Action<SchedulingPoint>? OnMoment { get; set; }

    internal IReadOnlyList<int> Choices => _choices;

    internal long Moments { get; private set; }

    /// <summary>Times that another thread went on than the one before.</summary>
    internal long Switches { get; private set; }

    /// <summary>Follows from all moments and decisions.</summary>
    internal Hash128 Hash { get; private set; }

    /// <summary>
    /// Runs the first thread and all that it starts to their ends; gives the first failure. After a deadlock its threads stay where they
    /// are, for nobody could tell what they would do.
    /// </summary>
    internal CrashFailureException? Run(Action main)
    {
        _ = Start("main", main);
        _threads[0].GiveTurn();
        return _over.WaitWhile(0, Patience)
            ? _failure
            : Failure("a thread runs on and on without a point at which another one could: " + States());
    }

    public void Pass(SchedulingPoint point)
    {
        if (point == SchedulingPoint.Chain && !_exploresChains)
        {
            return;
        }

        ScheduledThread me = Me;
        me.Point = point;
        Count(me, point);
        HandOn(me);
    }

    public bool Sleep(object on, SchedulingPoint point, TimeSpan timeout)
    {
        ScheduledThread me = Me;
        me.Point = point;
        me.HasTimeout = timeout != Timeout.InfiniteTimeSpan;
        me.TimedOut = false;
        me.PassedOver = 0;
        me.SleepsOn = on;
        Count(me, point);
        HandOn(me);
        return !me.TimedOut;
    }

    public void Wake(object on)
    {
        foreach (ScheduledThread thread in _threads)
        {
            if (ReferenceEquals(thread.SleepsOn, on))
            {
                thread.SleepsOn = null;
            }
        }
    }

    public Action Start(string name, Action run)
    {
        var thread = new ScheduledThread(_threads.Count, name);
        _threads.Add(thread);
        ThreadCrew.Run(() =>
        {
            _current = thread;
            thread.AwaitTurn();
            using (Scheduling.Use(this))
            {
                Live(thread, run);
            }

            _current = null;
        });
        return () =>
        {
            while (!thread.HasEnded)
            {
                Sleep(thread, SchedulingPoint.Wait, Timeout.InfiniteTimeSpan);
            }
        };
    }

    /// <summary>Notes what went wrong; the first failure counts, and the run goes on to its end.</summary>
    internal void Fail(CrashFailureException failure) => _failure ??= failure;

    private static ScheduledThread Me =>
        _current ?? throw new InvalidOperationException("A thread that no schedule knows came to a point of a schedule.");

    private static CrashFailureException Failure(string what) => new("Liveness: " + what) { Oracle = "Liveness" };

    private void Live(ScheduledThread thread, Action run)
    {
        try
        {
            run();
        }
        catch (CrashFailureException failure)
        {
            Fail(failure);
        }
        catch (Exception error)
        {
            Fail(new CrashFailureException($"O1: {thread.Name} ended with an exception: {error}", error) { Oracle = "O1" });
        }

        thread.HasEnded = true;
        Wake(thread);
        HandOn(thread);
    }

    private void Count(ScheduledThread thread, SchedulingPoint point)
    {
        Moments++;
        Hash = Hash.Then(((ulong)thread.Number << 8) | (uint)point);
        OnMoment?.Invoke(point);
        if (Moments == MostMoments)
        {
            Stop(Failure($"no end after {MostMoments} moments: {States()}"));
            thread.AwaitTurn();
        }
    }

    private void HandOn(ScheduledThread me)
    {
        if (Next(me) is not { } next)
        {
            if (_threads.TrueForAll(static thread => thread.HasEnded))
            {
                End();
                return;
            }

            Stop(Failure("a deadlock: " + States()));
            me.AwaitTurn();
            return;
        }

        if (next == me)
        {
            return;
        }

        Switches++;
        next.GiveTurn();
        if (!me.HasEnded)
        {
            me.AwaitTurn();
        }
    }

    private void Stop(CrashFailureException failure)
    {
        Fail(failure);
        End();
    }

    private void End()
    {
        _over.Set(1);
    }

    private ScheduledThread? Next(ScheduledThread me)
    {
        Collect(me, static thread => thread.SleepsOn is null);
        if (_ready.Count == 0)
        {
            Collect(me, static thread => thread.HasTimeout);
            if (_ready.Count == 0)
            {
                return null;
            }

            ScheduledThread late = _ready.Find(static thread => thread.PassedOver >= MostPassedOver)
                ?? Decide(lastCanGoOn: _ready[0] == me);
            _ready.ForEach(static thread => thread.PassedOver++);
            late.TimedOut = true;
            late.SleepsOn = null;
            return late;
        }

        return Decide(lastCanGoOn: _ready[0] == me);
    }

    private void Collect(ScheduledThread me, Predicate<ScheduledThread> canRun)
    {
        _ready.Clear();
        if (!me.HasEnded && canRun(me))
        {
            _ready.Add(me);
        }

        foreach (ScheduledThread thread in _threads)
        {
            if (thread != me && !thread.HasEnded && canRun(thread))
            {
                _ready.Add(thread);
            }
        }
    }

    private ScheduledThread Decide(bool lastCanGoOn)
    {
        if (_ready.Count == 1)
        {
            return _ready[0];
        }

        int choice = _decisions.Choose(_ready, lastCanGoOn);
        _choices.Add(choice);
        Hash = Hash.Then((ulong)choice);
        return _ready[choice];
    }

    private string States() => string.Join("; ", _threads);
}
