using System.Runtime.InteropServices;

namespace Voron.Native;

/// <summary>Result of a system call: success, or the system's error code. Nothing here throws for an error of the system.</summary>
/// <param name="Code">The system's error code (errno on Unix, GetLastError on Windows); 0 for success.</param>
public readonly record struct NativeResult(int Code)
{
    /// <summary>The call did what was asked.</summary>
    public static NativeResult Success => default;

    /// <summary>True when the system refused; <see cref="Code"/> says why.</summary>
    public bool Failed => Code != 0;

    /// <summary>The system's own words for the code.</summary>
    public override string ToString() => Failed ? $"{Marshal.GetPInvokeErrorMessage(Code)} ({Code})" : "success";

    /// <summary>The system has no memory or no address space left.</summary>
    internal bool IsOutOfMemory => OperatingSystem.IsWindows()
        ? Code is Windows.WindowsError.NotEnoughMemory or Windows.WindowsError.OutOfMemory or Windows.WindowsError.CommitmentLimit
        : Code == Unix.Errno.NOMEM;

    /// <summary>The error of the system call that this thread made last.</summary>
    internal static NativeResult Last()
    {
        int code = Marshal.GetLastPInvokeError();

        // A call that failed without saying why must not look like a success.
        return new NativeResult(code != 0 ? code : NativePlatform.UnknownFailure);
    }
}
