using Voron.Storage;
using Voron.Storage.IO;

namespace Voron.Simulation.Faults;

/// <summary>
/// Sees every call of the engine's disk and every request for native memory, remembers which sites were met, and lets the planned one
/// fail. One for the whole process, because memory has no door of its own.
/// </summary>
internal sealed class SiteWatch(SiteTable table)
{
    private readonly HashSet<CallSite> _met = [];
    private volatile SiteFault? _fault;
    private bool _isSparing;

    /// <summary>Sites met since this was emptied.</summary>
    internal IReadOnlyCollection<CallSite> Met
    {
        get
        {
            lock (_met)
            {
                return [.. _met];
            }
        }
    }

    /// <summary>What is to fail; nothing when null. Sites are looked up on the stack only while something is.</summary>
    internal SiteFault? Fault
    {
        get => _fault;
        set => _fault = value;
    }

    /// <summary>Remember all sites, for a run in which nothing fails.</summary>
    internal bool IsRecording { get; set; }

    internal void Forget()
    {
        lock (_met)
        {
            _met.Clear();
        }
    }

    /// <summary>Nothing that this calls fails, or is remembered.</summary>
    internal void Spare(Action action)
    {
        _isSparing = true;
        try
        {
            action();
        }
        finally
        {
            _isSparing = false;
        }
    }

    /// <summary>To be given to <see cref="SystemMemory.Refuses"/>.</summary>
    internal bool RefusesMemory(long bytes) => Strike(CallSite.Memory) is not null;

    internal IoError Call(string operation, Func<IoError> call)
    {
        if (Strike(operation) is not { } fault)
        {
            return call();
        }

        if (fault.Effect == SimFaultEffect.Everything)
        {
            call();
        }

        return fault.Result;
    }

    /// <summary>The fault when it meets the running call.</summary>
    internal SiteFault? Strike(string operation)
    {
        SiteFault? fault = _fault;
        if (_isSparing || (!IsRecording && fault?.Site.Operation != operation))
        {
            return null;
        }

        if (table.Caller(operation) is not { } site)
        {
            return null;
        }

        lock (_met)
        {
            _met.Add(site);
            return fault is not null && fault.Strikes(site) ? fault : null;
        }
    }
}
