using System.Buffers.Binary;
using Voron.Storage;

namespace Voron.CrashWriter;

/// <summary>
/// What transaction n of a seed does: a function of both, so that whoever knows the number of the last transaction knows the whole
/// content. That number is in the content: transactions of the engine's own have ids as well.
/// </summary>
public static class CrashScript
{
    /// <summary>Keys that the script uses.</summary>
    public const int Keys = 4000;

    private const int LongestValue = 12_000;

    /// <summary>Every so many transactions nearly everything is deleted, so that the file becomes shorter.</summary>
    private const int TransactionsBetweenClearings = 48;

    private const int KeysKept = 40;

    /// <summary>One step of a transaction.</summary>
    /// <param name="Key">Number of the key.</param>
    /// <param name="ValueBytes">Length of its new value, or −1: it is deleted.</param>
    /// <param name="Fill">What the value is filled from.</param>
    public readonly record struct ScriptStep(int Key, int ValueBytes, ulong Fill);

    /// <summary>The steps of a transaction.</summary>
    public static List<ScriptStep> StepsOf(ulong seed, long transaction)
    {
        ulong state = Mix(seed ^ Mix((ulong)transaction));
        int count = 1 + (int)(Next(ref state) % 24);

        List<ScriptStep> steps = [new ScriptStep(Keys, 8, (ulong)transaction)];
        for (int i = 0; i < count; i++)
        {
            int key = (int)(Next(ref state) % Keys);
            ulong kind = Next(ref state) % 20;
            int bytes = kind switch
            {
                0 => LongestValue,
                < 4 => -1,
                _ => (int)(Next(ref state) % 200),
            };
            steps.Add(new ScriptStep(key, bytes, Next(ref state)));
        }

        if (transaction % TransactionsBetweenClearings == 0)
        {
            steps.AddRange(Enumerable.Range(KeysKept, Keys - KeysKept).Select(static key => new ScriptStep(key, -1, 0)));
        }

        return steps;
    }

    /// <summary>The number of the last transaction that is in a tree; 0 if it is empty.</summary>
    public static long LastIn(ReadTree tree)
    {
        Span<byte> key = stackalloc byte[16];
        WriteKey(Keys, key);
        return tree.TryGet(key, out ReadOnlySpan<byte> number) ? BinaryPrimitives.ReadInt64LittleEndian(number) : 0;
    }

    /// <summary>Does the steps in a tree.</summary>
    public static void Apply(Tree tree, ulong seed, long transaction)
    {
        byte[] value = new byte[LongestValue];
        Span<byte> key = stackalloc byte[16];
        foreach (ScriptStep step in StepsOf(seed, transaction))
        {
            WriteKey(step.Key, key);
            if (step.ValueBytes < 0)
            {
                tree.Delete(key);
            }
            else
            {
                FillValue(step, value.AsSpan(0, step.ValueBytes));
                tree.Put(key, value.AsSpan(0, step.ValueBytes));
            }
        }
    }

    /// <summary>The 16 bytes of a key.</summary>
    public static void WriteKey(int number, Span<byte> key)
    {
        BinaryPrimitives.WriteUInt64BigEndian(key, Mix((ulong)number));
        BinaryPrimitives.WriteUInt64BigEndian(key[8..], (ulong)number);
    }

    /// <summary>The bytes of a step's value.</summary>
    public static void FillValue(ScriptStep step, Span<byte> value)
    {
        if (step.Key == Keys)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(value, step.Fill);
            return;
        }

        ulong state = step.Fill;
        for (int i = 0; i < value.Length; i++)
        {
            value[i] = (byte)(i % 8 == 0 ? Next(ref state) : state >> (8 * (i % 8)));
        }
    }

    private static ulong Next(ref ulong state)
    {
        state += 0x9E3779B97F4A7C15;
        return Mix(state);
    }

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }
}
