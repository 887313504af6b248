using Voron.Storage.Format;

namespace Voron.Storage.Structures;

/// <summary>
/// The values of a block after its first one, strictly ascending: one after the other if all of the tree have the same length, otherwise
/// each behind its length as a LEB128 number.
/// </summary>
/// <param name="bytes">The value of the entry.</param>
/// <param name="valueBytes">Length of each value, or <see cref="TreeShape.AnyLength"/>.</param>
/// <param name="root">The root of the tree, for errors.</param>
internal readonly ref struct PackedValues(ReadOnlySpan<byte> bytes, int valueBytes, PageNumber root)
{
    internal readonly ReadOnlySpan<byte> Bytes = bytes;

    private bool IsFixed => valueBytes != TreeShape.AnyLength;

    /// <summary>Number of values.</summary>
    internal int Count
    {
        get
        {
            if (IsFixed)
            {
                if (valueBytes == 0 ? !Bytes.IsEmpty : Bytes.Length % valueBytes != 0)
                {
                    Throw.BadBlock(root);
                }

                return Bytes.IsEmpty ? 0 : Bytes.Length / valueBytes;
            }

            int count = 0;
            for (int at = 0; at < Bytes.Length; count++)
            {
                Take(ref at);
            }

            return count;
        }
    }

    /// <summary>The last value; there must be one.</summary>
    internal ReadOnlySpan<byte> Last
    {
        get
        {
            int at = IsFixed ? Math.Max(0, Bytes.Length - valueBytes) : 0;
            ReadOnlySpan<byte> last;
            do
            {
                last = Take(ref at);
            }
            while (at < Bytes.Length);
            return last;
        }
    }

    /// <summary>Returns the value at an offset, which is not the end, and moves the offset behind it.</summary>
    internal ReadOnlySpan<byte> Take(scoped ref int at)
    {
        int length = IsFixed ? valueBytes : TakeLength(ref at);
        if (length > Bytes.Length - at || (IsFixed && length == 0))
        {
            Throw.BadBlock(root);
        }

        at += length;
        return Bytes.Slice(at - length, length);
    }

    /// <summary>Returns the offset of the value before the one at an offset, which is not the first.</summary>
    internal int Before(int offset)
    {
        if (IsFixed)
        {
            if (valueBytes == 0 || valueBytes > offset)
            {
                Throw.BadBlock(root);
            }

            return offset - valueBytes;
        }

        int before = 0;
        for (int at = 0; at < offset; Take(ref at))
        {
            before = at;
        }

        return before;
    }

    /// <summary>Returns the offset of the first value that is not below this one; whether it is this one.</summary>
    internal int Find(scoped ReadOnlySpan<byte> value, out bool isThere)
    {
        int low = 0;
        if (IsFixed)
        {
            int high = Count;
            while (low < high)
            {
                int middle = (low + high) / 2;
                if (Bytes.Slice(middle * valueBytes, valueBytes).SequenceCompareTo(value) < 0)
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }

            low *= valueBytes;
        }

        for (int at = low; at < Bytes.Length; low = at)
        {
            int order = Take(ref at).SequenceCompareTo(value);
            if (order >= 0)
            {
                isThere = order == 0;
                return low;
            }
        }

        isThere = false;
        return low;
    }

    /// <summary>Writes a value as a block has it, and returns the number of bytes.</summary>
    internal static int Write(ReadOnlySpan<byte> value, int valueBytes, Span<byte> target)
    {
        int at = 0;
        if (valueBytes == TreeShape.AnyLength)
        {
            uint rest = (uint)value.Length;
            for (; rest >= 0x80; rest >>= 7)
            {
                target[at++] = (byte)(rest | 0x80);
            }

            target[at++] = (byte)rest;
        }

        value.CopyTo(target[at..]);
        return at + value.Length;
    }

    private int TakeLength(scoped ref int at)
    {
        int length = 0;
        for (int shift = 0; shift < 21 && at < Bytes.Length; shift += 7)
        {
            byte next = Bytes[at++];
            length |= (next & 0x7F) << shift;
            if (next < 0x80)
            {
                return length;
            }
        }

        Throw.BadBlock(root);
        return 0;
    }
}
