using System.Globalization;
using FluentAssertions;
using Voron.CrashWriter;
using Xunit;

namespace Voron.Simulation.Kills;

/// <summary>
/// Real processes, killed at the n-th system call and given errors by it. VORON_CALLS sets how many runs a workload gets at most (default
/// 4; "all" for every call), VORON_SEED the script.
/// </summary>
[Trait("Lane", "Calls")]
public class CallSweepTests(ITestOutputHelper output)
{
    private static readonly string[] Errors = ["EIO", "ENOSPC", "EINTR"];

    public static TheoryData<string> Workloads => [.. CrashWorkload.Names];

    private static ulong Seed =>
        Environment.GetEnvironmentVariable("VORON_SEED") is { } seed ? ulong.Parse(seed, CultureInfo.InvariantCulture) : 1;

    private static int Most => Environment.GetEnvironmentVariable("VORON_CALLS") switch
    {
        null => 4,
        "all" => int.MaxValue,
        { } most => int.Parse(most, CultureInfo.InvariantCulture),
    };

    [Theory]
    [MemberData(nameof(Workloads))]
    public void Killed_at_a_system_call_nothing_acknowledged_is_lost(string workload)
    {
        using CallSweep sweep = Begin(workload);
        (string Call, int N)[] kills = [.. from call in sweep.ChangingCalls()
                                           from n in Enumerable.Range(1, call.Count)
                                           select (call.Call, n)];
        kills.Should().NotBeEmpty();
        int step = StepOf(kills.Length);
        int done = 0;
        for (int i = kills.Length - 1; i >= 0; i -= step, done++)
        {
            sweep.KillAt(kills[i].Call, kills[i].N);
        }

        output.WriteLine($"{workload}: killed at {done} of {kills.Length} changing system calls, seed {Seed}");
    }

    [Theory]
    [MemberData(nameof(Workloads))]
    public void A_failed_system_call_is_answered_by_a_typed_error(string workload)
    {
        using CallSweep sweep = Begin(workload);
        (string Call, int N, string Error)[] failures = [.. from call in sweep.Calls
                                                            from n in Enumerable.Range(1, call.Value)
                                                            from error in Errors
                                                            select (call.Key, n, error)];
        failures.Should().NotBeEmpty();

        // Not a multiple of three, so that every error has its turn.
        int step = StepOf(failures.Length);
        step += step % Errors.Length == 0 ? 1 : 0;
        int done = 0;
        for (int i = failures.Length - 1; i >= 0; i -= step, done++)
        {
            sweep.FailAt(failures[i].Call, failures[i].N, failures[i].Error);
        }

        output.WriteLine($"{workload}: {done} of {failures.Length} failures of system calls, seed {Seed}");
    }

    private static CallSweep Begin(string workload)
    {
        Assert.SkipUnless(CallSweep.IsPossible, "strace is not installed: apt-get install strace");
        CallSweep sweep = new(Directory.CreateTempSubdirectory("voron-calls-").FullName, workload, Seed);
        sweep.Prepare();
        return sweep;
    }

    private static int StepOf(int count) => Most == int.MaxValue ? 1 : Math.Max(1, (count + Most - 1) / Most);
}
