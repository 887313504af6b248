using System.Diagnostics.CodeAnalysis;
using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// Random bytes from the system's own source. The runtime's class needs OpenSSL on Linux and ends the process if it is missing.
/// </summary>
public static unsafe class NativeRandom
{
    private const int MostBytes = 256;

    /// <summary>Fills the span with random bytes.</summary>
    /// <param name="destination">The span to fill.</param>
    /// <exception cref="InvalidOperationException">The system has no source of random bytes; allow the process getrandom(2).</exception>
    public static void Fill(Span<byte> destination)
    {
        NativePlatform.Require();
        while (destination.Length > 0)
        {
            Span<byte> piece = destination[..Math.Min(destination.Length, MostBytes)];
            fixed (byte* pointer = piece)
            {
                bool isFilled = OperatingSystem.IsWindows()
                    ? BCrypt.BCryptGenRandom(0, pointer, (uint)piece.Length, BCrypt.OfSystem) >= 0
                    : LibC.Getentropy(pointer, (nuint)piece.Length) == 0;
                if (!isFilled)
                {
                    Refuse();
                }
            }

            destination = destination[piece.Length..];
        }
    }

    [DoesNotReturn]
    private static void Refuse() =>
        throw new InvalidOperationException("The system gives no random bytes; allow the process getrandom(2).");
}
