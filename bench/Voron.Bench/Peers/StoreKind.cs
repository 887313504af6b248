using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>A store that can take part.</summary>
/// <param name="Name">Its name in rows.</param>
/// <param name="Durability">How a commit reaches the device, and what else is set.</param>
/// <param name="Package">The Debian package with its library; null for ours.</param>
/// <param name="Library">Its library; null for ours.</param>
/// <param name="SharesCommits">Whether commits of several threads share writes and syncs.</param>
/// <param name="Open">Opens or creates a database in a folder.</param>
internal sealed record StoreKind(
    string Name, string Durability, string? Package, string? Library, bool SharesCommits, Func<string, IStore> Open)
{
    /// <summary>Null when it can run; else the one command that helps.</summary>
    internal string? InstallLine { get; } =
        Library is null || NativeLibrary.TryLoad(Library, out _) ? null : $"apt-get install {Package}";

    internal bool IsOurs => Library is null;
}
