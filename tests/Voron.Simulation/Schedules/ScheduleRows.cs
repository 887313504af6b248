using Voron.Simulation.Crashes;

namespace Voron.Simulation.Schedules;

/// <summary>The keys and values of schedules; keys end in letters of both parities, so that they spread over two trees.</summary>
internal static class ScheduleRows
{
    internal static WorkloadChange Change(SchedulePut put) => new(Key(put.Key), put.IsDelete ? null : Value(put));

    internal static byte[] Key(int number) => [(byte)'k', (byte)('a' + (number % 5)), (byte)('A' + number)];

    private static byte[] Value(SchedulePut put)
    {
        byte[] value = new byte[put.Bytes];
        new SimRandom(SimRandom.Mix((ulong)put.Seed, (ulong)put.Key)).Fill(value);
        return value;
    }
}
