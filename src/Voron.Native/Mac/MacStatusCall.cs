using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>
/// fstat(2) and fstatat(2). On x64 the plain names are those of an older structure; on arm64 there is only the present one.
/// </summary>
internal static unsafe partial class MacStatusCall
{
    internal static NativeResult OfDescriptor(int descriptor, out MacFileStatus status)
    {
        fixed (MacFileStatus* answer = &status)
        {
            *answer = default;
            int result = RuntimeInformation.ProcessArchitecture == Architecture.Arm64
                ? MacLibC.FstatOnArm(descriptor, answer)
                : MacLibC.FstatOnX64(descriptor, answer);
            return result == 0 ? NativeResult.Success : NativeResult.Last();
        }
    }

    /// <summary>Status of what a name or path leads to, symbolic links followed.</summary>
    internal static NativeResult OfName(NativeDirectory directory, string name, out MacFileStatus status)
    {
        fixed (MacFileStatus* answer = &status)
        {
            *answer = default;
            int result = RuntimeInformation.ProcessArchitecture == Architecture.Arm64
                ? MacLibC.FstatatOnArm(directory, name, answer, 0)
                : MacLibC.FstatatOnX64(directory, name, answer, 0);
            return result == 0 ? NativeResult.Success : NativeResult.Last();
        }
    }
}
