using System.Diagnostics.CodeAnalysis;

namespace Voron.Simulation;

/// <summary>Misuse of the simulated disk by the engine or by a test; none of it is a simulated failure.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void MappedFileTooLong(long bytes, long capacity) => throw new InvalidOperationException(
        $"A mapped file reached {bytes} bytes, but this simulated disk gives a map {capacity}; raise SimDiskOptions.MapBytes.");

    [DoesNotReturn]
    internal static void MapPastEnd(string path, long bytes, long length) => throw new InvalidOperationException(
        $"'{path}' was to be mapped up to {bytes}, past its end at {length}; a touch there would kill a real process.");

    [DoesNotReturn]
    internal static void WriteBesideMap(string path, long offset) => throw new InvalidOperationException(
        $"'{path}' was written past the cache at {offset} while it was mapped; what readers see there is anybody's guess.");

    [DoesNotReturn]
    internal static void Misaligned(string path, long offset, long length, nint address) => throw new InvalidOperationException(
        $"Unbuffered transfer of '{path}' is not in multiples of 4096: offset {offset}, length {length}, address 0x{address:x}.");

    [DoesNotReturn]
    internal static void Disposed(string path) => throw new ObjectDisposedException(path, "A closed file of the simulated disk was used.");

    [DoesNotReturn]
    internal static void NotAbsolute(string path) => throw new ArgumentException($"'{path}' is not an absolute path.", nameof(path));

    internal static ArgumentException NoSuchFile(string path) => new($"The simulated disk has no file '{path}'.", nameof(path));
}
