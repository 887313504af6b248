namespace Voron.Native.Mac;

/// <summary>Flags of open(2). There is no O_DIRECT, and O_DSYNC does not reach the device: see <see cref="MacControl"/>.</summary>
internal static class MacOpenFlags
{
    internal const int ReadOnly = 0;
    internal const int ReadWrite = 2;
    internal const int Create = 0x200;
    internal const int Directory = 0x10_0000;
    internal const int CloseOnExec = 0x100_0000;
}
