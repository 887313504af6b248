using System.Buffers.Binary;
using FluentAssertions;

namespace Voron.Storage.Replication.Carriers.Tests.Contract;

/// <summary>What the tests do with logs.</summary>
internal static class Logs
{
    internal static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    internal static CancellationToken Soon() => new CancellationTokenSource(Patience).Token;

    /// <summary>An entry that can be told from every other: a number, then bytes that follow from it.</summary>
    internal static byte[] Entry(int number, int length = 64)
    {
        byte[] bytes = new byte[length];
        new Random(number).NextBytes(bytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes, number);
        return bytes;
    }

    /// <summary>Appends entries one after the other; returns the position of the last.</summary>
    internal static async Task<long> AppendAsync(IReplicatedLog log, params byte[][] entries)
    {
        long last = (await log.GetBoundsAsync(Soon())).Last;
        foreach (byte[] entry in entries)
        {
            last = await log.AppendAsync(entry, last, Soon());
        }

        return last;
    }

    /// <summary>Reads this many entries; the positions must follow each other.</summary>
    internal static async Task<List<byte[]>> ReadAsync(IReplicatedLog log, long from, int count)
    {
        List<byte[]> entries = [];
        await foreach (LogEntry entry in log.ReadAsync(from, Soon()))
        {
            entry.Position.Should().Be(from + entries.Count);
            entries.Add(entry.Bytes.ToArray());
            if (entries.Count == count)
            {
                break;
            }
        }

        return entries;
    }

    /// <summary>Reads on past outages, as a replica does, from where it was.</summary>
    internal static async Task ReadThroughAsync(
        IReplicatedLog log, long from, Func<LogEntry, bool> goesOn, CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                await foreach (LogEntry entry in log.ReadAsync(from, cancellation))
                {
                    entry.Position.Should().Be(from);
                    from++;
                    if (!goesOn(entry))
                    {
                        return;
                    }
                }
            }
            catch (LogUnavailableException)
            {
                await Task.Delay(50, cancellation);
            }
        }
    }

    /// <summary>
    /// Appends until an entry is acknowledged, over outages and conflicts: it may be in the log more than once. Returns its position.
    /// </summary>
    internal static async Task<long> InsistAsync(IReplicatedLog log, byte[] entry, CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                long last = (await log.GetBoundsAsync(cancellation)).Last;
                return await log.AppendAsync(entry, last, cancellation);
            }
            catch (Exception e) when (e is LogUnavailableException or LogConflictException)
            {
                await Task.Delay(20, cancellation);
            }
        }
    }
}
