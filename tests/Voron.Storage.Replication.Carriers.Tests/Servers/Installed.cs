using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>
/// The programs of the servers. A machine without them skips the tests; where <c>VORON_LOG_SERVERS=required</c> is set, that is a failure.
/// </summary>
internal static class Installed
{
    private static bool AreRequired => Environment.GetEnvironmentVariable("VORON_LOG_SERVERS") == "required";

    /// <summary>The path of a program; skips the test, or fails it, if there is none.</summary>
    internal static string Need(string program, string package)
    {
        string? path = Find(program);
        string missing = $"{program} is not installed: apt-get install {package}";
        if (path is null && AreRequired)
        {
            Assert.Fail(missing);
        }

        Assert.SkipWhen(path is null, missing);
        return path!;
    }

    private static string? Find(string program) => (Environment.GetEnvironmentVariable("PATH") ?? string.Empty)
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Append("/usr/sbin")
        .Select(folder => Path.Combine(folder, program))
        .FirstOrDefault(File.Exists);
}
