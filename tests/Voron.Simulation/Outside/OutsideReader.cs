using Voron.Storage;

namespace Voron.Simulation.Outside;

/// <summary>A read-only environment beside a writer, with at most one transaction that stays open.</summary>
internal sealed class OutsideReader(StorageEnvironment environment) : IDisposable
{
    private ReadTransaction? _held;

    internal StorageEnvironment Environment => environment;

    internal void HoldOrEnd()
    {
        if (_held is null)
        {
            _held = environment.BeginRead();
        }
        else
        {
            End();
        }
    }

    internal void End()
    {
        _held?.Dispose();
        _held = null;
    }

    /// <summary>Shows the held snapshot, if there is one, and the newest.</summary>
    internal void Show(Action<ReadTransaction> show)
    {
        if (_held is { } held)
        {
            show(held);
        }

        using ReadTransaction newest = environment.BeginRead();
        show(newest);
    }

    public void Dispose()
    {
        End();
        environment.Dispose();
    }
}
