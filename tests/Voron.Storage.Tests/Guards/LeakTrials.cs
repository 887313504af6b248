#if CHECKED
using FluentAssertions;
using Voron.Native;
using Xunit;

namespace Voron.Storage.Tests.Guards;

/// <summary>For <see cref="GuardTests"/>, in a process of its own: a test that leaks, and one that does not.</summary>
public sealed class LeakTrials
{
    internal const string Switch = "VORON_LEAK";

    private static NativeFile? _left;

    [Fact]
    public void Leaves_a_file_when_it_is_asked_to()
    {
        if (Environment.GetEnvironmentVariable(Switch) == "1")
        {
            NativeFile.Open(Path.GetTempPath() + "voron-leak", NativeFileOptions.Create, out _left).Failed.Should().BeFalse();
            File.Delete(_left!.Path);
        }
    }

    [Fact]
    public void Leaves_nothing() => _left?.Path.Should().Contain("voron-leak");
}
#endif
