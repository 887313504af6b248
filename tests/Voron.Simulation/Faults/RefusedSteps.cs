using FluentAssertions;
using Voron.Storage;

namespace Voron.Simulation.Faults;

/// <summary>Steps on a disk that becomes full: each one refused is made again until there is room.</summary>
internal static class RefusedSteps
{
    private const int MostAttempts = 5;

    /// <summary>How many calls were refused. What is to be done about the n-th refusal of a step, from 0, is the caller's affair.</summary>
    internal static int PlayThrough(IEnumerable<Action> steps, Action<int, StorageFullException> onRefusal)
    {
        int refused = 0;
        foreach (Action step in steps)
        {
            for (int attempt = 0; ; attempt++)
            {
                try
                {
                    step();
                    break;
                }
                catch (StorageFullException error)
                {
                    attempt.Should().BeLessThan(MostAttempts);
                    refused++;
                    onRefusal(attempt, error);
                }
            }
        }

        return refused;
    }
}
