using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Typed.Codecs;

/// <summary>The faults of this assembly.</summary>
internal static class Throw
{
    internal static void IfNotBytes(ReadOnlySpan<byte> source, int bytes, Type type)
    {
        if (source.Length != bytes)
        {
            WrongLength(source.Length, bytes, type);
        }
    }

    [DoesNotReturn]
    internal static void NoKey(Type type, string why) =>
        throw new FormatException($"These bytes are no key of type {type.Name}: {why} Was the tree filled through another codec?");

    [DoesNotReturn]
    internal static void NoValue(Type type, string why) => throw new FormatException(
        $"These bytes are no value of type {type.Name}: {why} Was the tree filled through another codec?");

    [DoesNotReturn]
    internal static void NotUtc(DateTime key) => throw new ArgumentException(
        $"{key:O} is a time of kind {key.Kind}, which means another moment elsewhere. Keys are of kind Utc; or use DateTimeOffset.",
        nameof(key));

    [DoesNotReturn]
    private static void WrongLength(int length, int bytes, Type type) => NoKey(type, $"there are {length}, and such keys have {bytes}.");
}
