using FluentAssertions;
using Voron.Bench.Cold;
using Xunit;

namespace Voron.Bench.Tests;

/// <summary>Where a control group for memory can be made, on invented systems.</summary>
public class MemoryGroupTests
{
    private const string First = "35 31 0:32 / /groups/memory rw - cgroup cgroup rw,memory";
    private const string Other = "36 31 0:33 / /groups/cpu rw - cgroup cgroup rw,cpu";
    private const string Second = "41 31 0:38 / /groups/unified rw - cgroup2 cgroup2 rw";

    [Fact]
    public void Version_1_has_memory_under_a_mount_of_its_own() =>
        Parents(["3:cpu:/", "4:memory:/a/b"], Other, First).Should().Equal(
            ("/groups/memory/a/b", 1), ("/groups/memory/a", 1), ("/groups/memory", 1));

    [Fact]
    public void Version_2_is_tried_from_the_own_group_upwards() =>
        Parents(["0::/user/shell"], Second).Should().Equal(
            ("/groups/unified/user/shell", 2), ("/groups/unified/user", 2), ("/groups/unified", 2));

    [Fact]
    public void A_container_sees_its_own_group_as_the_topmost_one()
    {
        Parents(["4:memory:/box/1"], First.Replace(" / ", " /box/1 ", StringComparison.Ordinal)).Should().Equal(("/groups/memory", 1));
        Parents(["0::/../other"], Second).Should().Equal(("/groups/unified", 2));
    }

    [Fact]
    public void Without_groups_there_is_none()
    {
        Parents(["4:memory:/a"], Other).Should().BeEmpty();
        Parents([], First, Second).Should().BeEmpty();
    }

    [Fact]
    public void A_process_enters_before_its_program_begins()
    {
        using MemoryGroup? group = MemoryGroup.TryMake(256 << 20);
        if (group is null)
        {
            Assert.Skip("no control group can be made here");
        }

        string[] command = group.Enter(["cat", "/proc/self/cgroup"]);
        using System.Diagnostics.Process process = System.Diagnostics.Process.Start(
            new System.Diagnostics.ProcessStartInfo(command[0], command.Skip(1)) { RedirectStandardOutput = true })!;
        process.StandardOutput.ReadToEnd().Should().Contain("/voron-bench-");
        process.WaitForExit();
        group.Description.Should().EndWith("with 256 MiB");
    }

    private static IEnumerable<(string Folder, int Version)> Parents(string[] groups, params string[] mounts) =>
        MemoryGroup.Parents(groups, mounts);
}
