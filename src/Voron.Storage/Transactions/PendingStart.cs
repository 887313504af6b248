using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Transactions;

/// <summary>
/// Decides whether trees that change get pending trees, while versions of pages fill the memory: by how many of the next puts are the first
/// of their leaf. Requires the writer lock.
/// </summary>
internal sealed class PendingStart(PageWriter pages)
{
    /// <summary>Most puts for each leaf that changes at which a pending tree is worth its look-ups.</summary>
    private const int FewPutsPerLeaf = 8;

    /// <summary>Puts that are counted before that is decided: few, for each of them may copy a leaf while the memory is full.</summary>
    private const int PutsPerSample = 2048;

    private bool _isSampling;
    private long _sampled;

    /// <summary>Returns whether versions of pages fill the memory.</summary>
    internal Func<bool>? IsMemoryFull { get; set; }

    /// <summary>What was decided last.</summary>
    internal bool IsNow { get; private set; }

    /// <summary>Notes the puts that a transaction has made since the last call.</summary>
    internal void Decide(int puts, TransactionId transaction)
    {
        if (!_isSampling)
        {
            if (puts > 0 && IsMemoryFull?.Invoke() == true)
            {
                _isSampling = true;
                _sampled = 0;
                pages.FirstEdits.CountFrom(transaction);
            }

            return;
        }

        _sampled += puts;
        if (_sampled >= PutsPerSample)
        {
            _isSampling = false;
            IsNow = pages.FirstEdits.Count * FewPutsPerLeaf > _sampled;
        }
    }
}
