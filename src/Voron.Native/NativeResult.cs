using System.Runtime.InteropServices;

namespace Voron.Native;

/// <summary>Result of a system call: success, or the system's error code. Nothing here throws for an error of the system.</summary>
/// <param name="Code">
/// The system's error code: GetLastError on Windows; on Unix errno with the numbers of <see cref="Unix.Errno"/>, also where the system has
/// others. 0 for success.
/// </param>
public readonly record struct NativeResult(int Code)
{
    /// <summary>The call did what was asked.</summary>
    public static NativeResult Success => default;

    /// <summary>True when the system refused; <see cref="Code"/> says why.</summary>
    public bool Failed => Code != 0;

    /// <summary>The system's own words for the code.</summary>
    public override string ToString() => Failed ? $"{Marshal.GetPInvokeErrorMessage(SystemCode)} ({SystemCode})" : "success";

    private int SystemCode => OperatingSystem.IsMacOS() ? Mac.MacErrno.ToSystem(Code) : Code;

    /// <summary>The system has no memory or no address space left.</summary>
    internal bool IsOutOfMemory => OperatingSystem.IsWindows()
        ? Code is Windows.WindowsError.NotEnoughMemory or Windows.WindowsError.OutOfMemory or Windows.WindowsError.CommitmentLimit
        : Code == Unix.Errno.NOMEM;

    /// <summary>The error of the system call that this thread made last.</summary>
    internal static NativeResult Last()
    {
        int code = Marshal.GetLastPInvokeError();

        // A call that failed without saying why must not look like a success.
        return code != 0 ? OfSystem(code) : new NativeResult(NativePlatform.UnknownFailure);
    }

    /// <summary>The result for a code as the system says it.</summary>
    internal static NativeResult OfSystem(int code) => new(OperatingSystem.IsMacOS() ? Mac.MacErrno.ToNamed(code) : code);
}
