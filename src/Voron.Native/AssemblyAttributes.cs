using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]

// The C library is a system library: it is never looked for beside the application, where anybody could have put another one.
[assembly: DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
