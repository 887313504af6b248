using System.Diagnostics;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// Rests between the transactions of a build: all in all four times as long as these keep other writers waiting. Timers go off late, by up
/// to a millisecond where a rest is two or three, so what was slept too long is counted.
/// </summary>
internal sealed class BuildRest
{
    private const int Factor = 4;

    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(1);

    /// <summary>A build that was stopped for long goes on as gently as before.</summary>
    private static readonly TimeSpan MostCredit = TimeSpan.FromMilliseconds(5);

    private TimeSpan _owed;
    private bool _wasTaken;

    /// <summary>Rests after a transaction, unless less is owed than a timer can measure.</summary>
    /// <param name="held">How long the transaction kept others waiting.</param>
    /// <param name="isNext">Whether no other transaction was made since the one before. After a rest that means that none waits.</param>
    /// <param name="cancellationToken">Ends the rest.</param>
    internal async Task AfterAsync(TimeSpan held, bool isNext, CancellationToken cancellationToken)
    {
        bool isAlone = isNext && _wasTaken;
        _owed = isAlone ? TimeSpan.Zero : _owed + (held * Factor);
        if (isAlone || _owed < Least)
        {
            _wasTaken = isAlone;
            return;
        }

        long began = Stopwatch.GetTimestamp();
        await Task.Delay(_owed, cancellationToken).ConfigureAwait(false);
        _owed -= Stopwatch.GetElapsedTime(began);
        _owed = _owed < -MostCredit ? -MostCredit : _owed;
        _wasTaken = true;
    }
}
