using System.Runtime.InteropServices;

namespace Voron.Native;

/// <summary>Result of a system call: success, or the system's error code. Errors of the system never throw.</summary>
/// <param name="Code">The system's error code: GetLastError on Windows; on Unix errno with the numbers of <see cref="Unix.Errno"/>, even on
/// a system that uses others. 0 for success.</param>
public readonly record struct NativeResult(int Code)
{
    /// <summary>The result of a successful call.</summary>
    public static NativeResult Success => default;

    /// <summary>True if the call failed; <see cref="Code"/> says why.</summary>
    public bool Failed => Code != 0;

    /// <summary>Returns the system's message for the code.</summary>
    public override string ToString() => Failed ? $"{Marshal.GetPInvokeErrorMessage(SystemCode)} ({SystemCode})" : "success";

    private int SystemCode => OperatingSystem.IsMacOS() ? Mac.MacErrno.ToSystem(Code) : Code;

    /// <summary>True if the system has no memory or no address space left.</summary>
    internal bool IsOutOfMemory => OperatingSystem.IsWindows()
        ? Code is Windows.WindowsError.NotEnoughMemory or Windows.WindowsError.OutOfMemory or Windows.WindowsError.CommitmentLimit
        : Code == Unix.Errno.NOMEM;

    /// <summary>Returns the error of this thread's last system call.</summary>
    internal static NativeResult Last()
    {
        int code = Marshal.GetLastPInvokeError();

        // A call that failed without saying why must not look like a success.
        return code != 0 ? OfSystem(code) : new NativeResult(NativePlatform.UnknownFailure);
    }

    /// <summary>Converts a code of the running system.</summary>
    internal static NativeResult OfSystem(int code) => new(OperatingSystem.IsMacOS() ? Mac.MacErrno.ToNamed(code) : code);
}
