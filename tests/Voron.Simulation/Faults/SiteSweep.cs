using System.Text;
using Voron.Storage;
using Voron.Storage.IO;

namespace Voron.Simulation.Faults;

/// <summary>
/// Lets every call site fail in every way, once and for ever, in every scenario that meets it. To be run in a process of its own: memory
/// is refused for the whole process, and sites are exact only where nothing is inlined.
/// </summary>
internal sealed class SiteSweep
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly int _mostScenarios;
    private readonly SiteTable _table = new(typeof(StorageEnvironment).Assembly);
    private readonly SiteWatch _watch;
    private readonly Dictionary<CallSite, List<SiteScenario>> _scenarios = [];
    private readonly Dictionary<SiteScenario, long> _calls = [];
    private readonly Dictionary<CallSite, long> _failed = [];
    private readonly List<string> _findings = [];
    private string _where = string.Empty;
    private long _runs;

    /// <param name="mostScenarios">In how many scenarios each fault is tried: the shortest of those that meet its site.</param>
    internal SiteSweep(int mostScenarios)
    {
        _mostScenarios = mostScenarios;
        _watch = new SiteWatch(_table);
    }

    /// <summary>Runs everything and gives the report; its first line is "good" or "bad".</summary>
    internal string Run(string? only)
    {
        SystemMemory.Refuses = _watch.RefusesMemory;
        using Timer watchdog = new(_ => Environment.FailFast($"No end after {Patience.TotalSeconds} s: {_where}"));
        foreach (SiteScenario scenario in SiteScenario.All)
        {
            Watched(watchdog, $"{scenario} with nothing failing", () => Record(scenario));
        }

        foreach (List<SiteScenario> list in _scenarios.Values)
        {
            list.Sort((a, b) => _calls[a].CompareTo(_calls[b]));
        }

        foreach (SiteFault fault in _table.Sites.Where(site => only is null || site.Id.Contains(only)).SelectMany(SiteFault.Of))
        {
            foreach (SiteScenario scenario in _scenarios.GetValueOrDefault(fault.Site, []).Take(_mostScenarios))
            {
                SiteFault again = fault with { };
                Watched(watchdog, $"{again}, in {scenario}", () => Play(scenario, again));
            }
        }

        return Report(only is null);
    }

    private void Watched(Timer watchdog, string where, Action run)
    {
        _where = where;
        watchdog.Change(Patience, Timeout.InfiniteTimeSpan);
        try
        {
            run();
        }
        catch (SiteFailureException failure)
        {
            _findings.Add($"{where}: {failure.Message}{Environment.NewLine}{failure.InnerException?.StackTrace}");
        }

        watchdog.Change(Timeout.Infinite, Timeout.Infinite);
    }

    /// <summary>Learns which sites a scenario meets.</summary>
    private void Record(SiteScenario scenario)
    {
        using SiteRig rig = new(_watch);
        scenario.Prepare(rig);
        _watch.Forget();
        _watch.IsRecording = true;
        scenario.Play(rig);
        _watch.IsRecording = false;
        _calls.Add(scenario, rig.Disk.CallCount);
        foreach (CallSite site in _watch.Met)
        {
            if (!_scenarios.TryGetValue(site, out List<SiteScenario>? list))
            {
                _scenarios.Add(site, list = []);
            }

            list.Add(scenario);
        }
    }

    private void Play(SiteScenario scenario, SiteFault fault)
    {
        _runs++;
        using SiteRig rig = new(_watch);
        _watch.Fault = null;
        scenario.Prepare(rig);
        _watch.Fault = fault;
        try
        {
            scenario.Play(rig);
            rig.RequireSafe();
            rig.RequireHealthy();
        }
        finally
        {
            _watch.Fault = null;
            _failed[fault.Site] = _failed.GetValueOrDefault(fault.Site) + fault.Met;
        }
    }

    private string Report(bool isWhole)
    {
        CallSite[] never = [.. _table.Sites.Where(site => _failed.GetValueOrDefault(site) == 0)];
        bool isGood = _findings.Count == 0 && (!isWhole || never.Length == 0);
        StringBuilder report = new();
        report.AppendLine(isGood ? "good" : "bad");
        report.AppendLine(
            $"{_table.Sites.Count} call sites, {_table.Sites.Count - never.Length} failed at least once, {_runs} runs, "
            + $"{_failed.Values.Sum()} failed calls, {_findings.Count} findings");
        foreach (CallSite site in isWhole ? never : [])
        {
            report.AppendLine($"never failed: {site.Id}");
        }

        _findings.ForEach(finding => report.AppendLine(finding));
        return report.ToString();
    }
}
