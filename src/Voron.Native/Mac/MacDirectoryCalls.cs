using System.Runtime.InteropServices;
using System.Text;
using Voron.Native.Unix;

namespace Voron.Native.Mac;

/// <summary>fdopendir(3) and readdir(3); for the names see <see cref="MacStatusCall"/>.</summary>
internal static unsafe partial class MacDirectoryCalls
{
    internal static nint Open(int descriptor) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64
            ? MacLibC.FdopendirOnArm(descriptor)
            : MacLibC.FdopendirOnX64(descriptor);

    /// <summary>See <see cref="NativeDirectory.ListFiles"/>.</summary>
    internal static NativeResult ListFiles(NativeDirectory directory, nint stream, ICollection<string> names)
    {
        for (MacDirectoryEntry* entry = Read(stream); entry != null; entry = Read(stream))
        {
            string name = Encoding.UTF8.GetString(
                MemoryMarshal.CreateReadOnlySpanFromNullTerminated((byte*)entry + MacDirectoryEntry.NameOffset));
            if (IsFile(directory, name, entry->Type))
            {
                names.Add(name);
            }
        }

        return NativeResult.OfSystem(Marshal.GetLastPInvokeError());
    }

    /// <summary>As on Linux: what has no kind here, or is a link, is asked; what cannot be asked is named.</summary>
    private static bool IsFile(NativeDirectory directory, string name, byte type) => type switch
    {
        DirectoryEntry.TypeFile => true,
        DirectoryEntry.TypeDirectory => false,
        _ => MacStatusCall.OfName(directory, name, out MacFileStatus status).Failed || !status.IsDirectory,
    };

    /// <summary>Null is the end or an error; the two differ by errno, which is cleared before the call.</summary>
    private static MacDirectoryEntry* Read(nint directory) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? MacLibC.ReaddirOnArm(directory) : MacLibC.ReaddirOnX64(directory);
}
