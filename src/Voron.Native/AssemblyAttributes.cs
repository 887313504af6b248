using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]

// The C library is a system library: it is never searched for beside the application, where another file could have been planted.
[assembly: DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
