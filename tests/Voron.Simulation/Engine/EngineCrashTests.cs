using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>The engine on disks that crash: not one acknowledged transaction is lost, in no state that a crash could leave.</summary>
[Trait("Lane", "Crash")]
public sealed class EngineCrashTests
{
    public static TheoryData<string> Lanes => EngineLaneTest.Names(withPending: false);

    [Theory]
    [MemberData(nameof(Lanes))]
    public void Nothing_promised_is_lost(string lane) => EngineLaneTest.Run(lane);

    /// <summary>Seed 9 once left files open: the space map was lost, and the session of the test forgot the open database.</summary>
    [Fact]
    public void A_device_that_lied_about_a_space_map_leaves_nothing_open() => EngineLanes.RunLiar(9).Tried.Should().BePositive();

    /// <summary>
    /// Seed 3 once did not open: entries became pending while the journal was in a chunk that a clean close had left, and whose records do
    /// not lead to the chunk in which it went on.
    /// </summary>
    [Fact]
    public void Entries_that_become_pending_behind_a_clean_close_are_found() =>
        EngineSubject.WithPendingTrees(RowTreesLane.Multi.SeedOf(3)).Counted.Should().BePositive();

    /// <summary>
    /// Seed 1 once found a whole database gone: its directory was made by a process that was killed before it had synced the parent, and
    /// the next one never did.
    /// Every point of the first open is crashed here.
    /// </summary>
    [Fact]
    public void A_directory_whose_maker_was_killed_does_not_vanish()
    {
        var options = new CrashOptions
        {
            Test = nameof(A_directory_whose_maker_was_killed_does_not_vanish),
            SubsetAtoms = 3, PairAtoms = 0, Singles = 4, RandomStates = 2, RecoveryCutOneIn = 0, GoOnOneIn = 0,
        };
        var runner = new CrashRunner(new EngineSubject(), options);
        runner.Run(Workload.Of(1, [WorkloadLetter.PutOverflow], new WorkloadOptions { PageBytes = EngineSubject.PageBytes }));
        runner.Statistics.Kills.Should().BeGreaterThan(30);
    }

    /// <summary>Equal disk calls in the run, and equal counts of all that was made of its crashes.</summary>
    [Fact]
    public void Equal_seeds_give_equal_runs()
    {
        const int Seeds = 200;
        var options = new CrashOptions
        {
            Test = nameof(Equal_seeds_give_equal_runs), MostOpens = 2, SubsetAtoms = 3, PairAtoms = 0, Singles = 2, RandomStates = 2,
            PointOneIn = 8, KillOneIn = 0, MostNestedOpens = 4,
        };
        var sizes = new WorkloadOptions
        {
            PageBytes = EngineSubject.PageBytes, Steps = 8, BufferedOneIn = 4, RangeOneIn = 2, RenameOneIn = 2, AsyncOneIn = 3,
        };
        int equal = 0;
        foreach (ulong seed in SimSeed.List(Seeds))
        {
            (Hash128 Trace, string Counts)[] runs = new (Hash128, string)[2];
            for (int i = 0; i < runs.Length; i++)
            {
                var runner = new CrashRunner(new EngineSubject(), options);
                runs[i] = (runner.Run(Workload.Generate(seed, sizes)), runner.Statistics.ToString());
            }

            runs[1].Should().Be(runs[0], "of seed {0}", seed);
            equal++;
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"replayed: {equal} of {Seeds} seeds gave the same hash");
    }
}
