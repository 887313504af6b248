using System.Buffers.Binary;
using Voron.CrashWriter;

namespace Voron.Simulation.Kills;

/// <summary>Reads what a writing process says until its pipe ends.</summary>
internal sealed class MessageReader(Stream stream)
{
    private long _acknowledged;
    private volatile bool _inside;

    internal ManualResetEventSlim FirstAcknowledged { get; } = new(false);

    internal long Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>Whether the last thing that began, a checkpoint or a build, has not ended.</summary>
    internal bool IsInside => _inside;

    internal void ReadToEnd()
    {
        byte[] message = new byte[CrashWriting.MessageBytes];
        while (stream.ReadAtLeast(message, message.Length, throwOnEndOfStream: false) == message.Length)
        {
            if (message[0] == 'A')
            {
                Volatile.Write(ref _acknowledged, BinaryPrimitives.ReadInt64LittleEndian(message.AsSpan(1)));
                FirstAcknowledged.Set();
            }
            else
            {
                _inside = message[0] == 'B';
            }
        }
    }
}
