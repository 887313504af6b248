using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>Where a store comes from: a package of Debian with a C library, or a package of NuGet.</summary>
/// <param name="Name">The package.</param>
/// <param name="Version">Its version, with the kind of package.</param>
/// <param name="InstallLine">Null when its library can be loaded here; else the one command that helps.</param>
internal sealed record StoreOrigin(string Name, Lazy<string> Version, Lazy<string?> InstallLine)
{
    internal static StoreOrigin Debian(string package, string library) => new(
        package,
        new Lazy<string>(() => Versions.OfDebian(package)),
        new Lazy<string?>(() => NativeLibrary.TryLoad(library, out _) ? null : $"apt-get install {package}"));

    /// <summary>A package whose assembly, and what it needs, is beside this program.</summary>
    /// <param name="package">Its name.</param>
    /// <param name="others">Packages with the library that it wraps.</param>
    internal static StoreOrigin NuGet(string package, params string[] others) => new(
        package,
        new Lazy<string>(() => string.Join(", ", others.Prepend(package).Select(Versions.OfNuGet))),
        new Lazy<string?>(static () => null));
}
