namespace Voron.Simulation.Crashes;

/// <summary>
/// Runs workloads beside each other and adds up what they tried as if they had been run one after another: how many processors there are
/// changes neither the counts nor the failure that is reported. A workload's own result follows from its seed alone. A second workload
/// begins only when the first was not enough and a processor has none, of this series or another one of the process: what begins may turn
/// out not to be needed.
/// </summary>
internal sealed class CrashSeries(Func<CrashStatistics, bool> isEnough)
{
    private const int IdleMilliseconds = 20;
    private static int _running;

    private readonly Lock _gate = new();
    private readonly Dictionary<int, object> _ended = [];
    private readonly CrashStatistics _sum = new();
    private IEnumerator<Func<CrashStatistics>> _runs = null!;
    private CrashFailureException? _failure;
    private int _given;
    private int _added;
    private volatile bool _isOver;
    private volatile bool _isAllGiven;

    /// <summary>Adds run after run until the sum is enough or there are no more.</summary>
    internal CrashStatistics Run(IEnumerable<Func<CrashStatistics>> runs)
    {
        _runs = runs.GetEnumerator();
        Task[] workers = new Task[Environment.ProcessorCount];
        for (int i = 0; i < workers.Length; i++)
        {
            bool isFirst = i == 0;
            workers[i] = Task.Factory.StartNew(
                () => Work(isFirst), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        Task.WaitAll(workers);
        _runs.Dispose();
        return _failure is null
            ? _sum
            : throw new CrashFailureException(_failure.Message, _failure) { Oracle = _failure.Oracle, Seed = _failure.Seed };
    }

    private void Work(bool isFirst)
    {
        while (TakesProcessor(isFirst) && TryTake(out int number, out Func<CrashStatistics>? run))
        {
            object result;
            try
            {
                result = run!();
            }
            catch (CrashFailureException failure)
            {
                result = failure;
            }
            catch
            {
                lock (_gate)
                {
                    _isOver = true;
                }

                throw;
            }
            finally
            {
                Interlocked.Decrement(ref _running);
            }

            Add(number, result);
        }
    }

    /// <summary>The first worker always has a processor. Another one waits until its help is of use, or there is nothing to do.</summary>
    private bool TakesProcessor(bool isFirst)
    {
        while (true)
        {
            bool isOfUse = isFirst || Volatile.Read(ref _added) > 0;
            if (isOfUse && (Interlocked.Increment(ref _running) <= Environment.ProcessorCount || isFirst))
            {
                return true;
            }

            if (isOfUse)
            {
                Interlocked.Decrement(ref _running);
            }

            if (_isOver || _isAllGiven)
            {
                return false;
            }

            Thread.Sleep(IdleMilliseconds);
        }
    }

    private bool TryTake(out int number, out Func<CrashStatistics>? run)
    {
        lock (_gate)
        {
            number = _given;
            run = null;
            _isAllGiven |= _isOver || !_runs.MoveNext();
            if (_isAllGiven)
            {
                Interlocked.Decrement(ref _running);
                return false;
            }

            _given++;
            run = _runs.Current;
            return true;
        }
    }

    private void Add(int number, object result)
    {
        lock (_gate)
        {
            _ended.Add(number, result);
            while (!_isOver && _ended.Remove(_added, out object? next))
            {
                _added++;
                _failure = next as CrashFailureException;
                if (next is CrashStatistics statistics)
                {
                    _sum.Add(statistics);
                }

                _isOver = _failure is not null || isEnough(_sum);
            }
        }
    }
}
