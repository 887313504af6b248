namespace Voron.Simulation.Crashes;

/// <summary>
/// Runs workloads beside each other, one a processor, and adds up what they tried as if they had been run one after another: how many
/// processors there are changes neither the counts nor the failure that is reported. A workload's own result follows from its seed alone.
/// </summary>
internal sealed class CrashSeries(Func<CrashStatistics, bool> isEnough)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<int, object> _ended = [];
    private readonly CrashStatistics _sum = new();
    private IEnumerator<Func<CrashStatistics>> _runs = null!;
    private CrashFailureException? _failure;
    private int _given;
    private int _added;
    private bool _isOver;

    /// <summary>Adds run after run until the sum is enough or there are no more.</summary>
    internal CrashStatistics Run(IEnumerable<Func<CrashStatistics>> runs)
    {
        _runs = runs.GetEnumerator();
        Task[] workers = new Task[Environment.ProcessorCount];
        for (int i = 0; i < workers.Length; i++)
        {
            workers[i] = Task.Factory.StartNew(Work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        Task.WaitAll(workers);
        _runs.Dispose();
        return _failure is null
            ? _sum
            : throw new CrashFailureException(_failure.Message, _failure) { Oracle = _failure.Oracle, Seed = _failure.Seed };
    }

    private void Work()
    {
        while (TryTake(out int number, out Func<CrashStatistics>? run))
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

            Add(number, result);
        }
    }

    private bool TryTake(out int number, out Func<CrashStatistics>? run)
    {
        lock (_gate)
        {
            number = _given;
            run = null;
            if (_isOver || !_runs.MoveNext())
            {
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
