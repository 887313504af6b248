using System.Buffers;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>Random transactions of a leader, some of them in fragments, some of which are given up.</summary>
internal sealed class Batch
{
    private readonly ArrayBufferWriter<byte> _bytes = new();

    internal List<ulong> Contents { get; } = [];

    internal ReadOnlySpan<byte> Bytes => _bytes.WrittenSpan;

    internal static Batch Random(Random random, long last)
    {
        Batch batch = new();
        int count = 1 + random.Next(3);
        for (int i = 0; i < count; i++)
        {
            TransactionId id = new(last + 1 + i);
            if (random.Next(5) == 0)
            {
                // Rolled back after its first part was written: the next transaction has the same number.
                batch.Add(random, new RedoRecord(id, 0, IsLast: false));
            }

            ulong content = 0;
            uint fragments = random.Next(3) == 0 ? (uint)random.Next(1, 3) : 0;
            for (uint fragment = 0; fragment <= fragments; fragment++)
            {
                RedoRecord record = new(id, fragment, IsLast: fragment == fragments);
                if (random.Next(6) == 0)
                {
                    // A part of it, and a value that the rest of it names.
                    RedoRecord part = record with { IsLast = false, GoesOn = true };
                    content = ModelStore.Mix(content, batch.Add(random, part));
                    content = ModelStore.Mix(content, batch.Add(random, part with { IsContent = true }));
                }

                content = ModelStore.Mix(content, batch.Add(random, record));
            }

            batch.Contents.Add(content);
        }

        return batch;
    }

    private byte[] Add(Random random, RedoRecord record)
    {
        byte[] body = new byte[random.Next(24)];
        random.NextBytes(body);
        byte[] head = new byte[BatchRecord.HeadBytes];
        BatchRecord.WriteHead(head, record, body.Length);
        _bytes.Write(head);
        _bytes.Write(body);
        return body;
    }
}
