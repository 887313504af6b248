namespace Voron.Storage.Tests.Doors;

/// <summary>A folder of its own in the system's temporary place, removed at the end.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    internal string Path { get; } = Directory.CreateTempSubdirectory("voron-test-").FullName;

    public void Dispose()
    {
        if (Directory.Exists(Path))
        {
            Directory.Delete(Path, recursive: true);
        }
    }
}
