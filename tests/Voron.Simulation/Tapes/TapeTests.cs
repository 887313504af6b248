using FluentAssertions;
using Voron.Simulation.Crashes;
using Voron.Simulation.Schedules;
using Voron.Storage.Recovery;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Simulation.Tapes;

/// <summary>Tapes of runs that once failed: every one must pass now. And a tape given from outside, to repeat a failure.</summary>
[Trait("Lane", "Schedule")]
public sealed class TapeTests
{
    private static string Folder => Path.Combine(AppContext.BaseDirectory, "Tapes", "Regress");

    public static TheoryData<string> Regressions =>
        [.. Directory.GetFiles(Folder, "*.tape").Select(static path => Path.GetFileName(path)).Order()];

    [Theory]
    [MemberData(nameof(Regressions))]
    public void What_failed_once_passes_now(string name) => RequireSuccess(File.ReadAllText(Path.Combine(Folder, name)), name);

    [Fact]
    public void A_given_tape()
    {
        if (Environment.GetEnvironmentVariable(DecisionTape.Variable) is { Length: > 0 } tape)
        {
            RequireSuccess(tape, "the given tape");
        }
    }

    [Fact]
    public void A_tape_is_what_its_text_says()
    {
        foreach (ScheduleKind kind in Enum.GetValues<ScheduleKind>())
        {
            DecisionTape tape = ScheduleRun.Fresh(kind, 7).Tape;
            string text = tape.ToString(';');
            DecisionTape parsed = DecisionTape.Parse("# a comment\n" + text);
            parsed.ToString('\n').Should().Be(tape.ToString());
            parsed.Cuts.Should().Equal(tape.Cuts);
            parsed.Choices.Should().Equal(tape.Choices.Take(parsed.Choices.Count));
            tape.Choices.Skip(parsed.Choices.Count).Any(static choice => choice != 0).Should().BeFalse();
        }
    }

    [Fact]
    public void Two_locks_in_two_orders_are_a_deadlock_that_is_found_and_named()
    {
        CrashFailureException? found = null;
        for (ulong seed = 1; seed < 200 && found is null; seed++)
        {
            var scheduler = new TokenScheduler(new RandomDecisions(seed));
            var left = new Storage.Threads.Gate();
            var right = new Storage.Threads.Gate();
            found = scheduler.Run(() =>
            {
                Action one = scheduler.Start("one", () => Both(left, right));
                Action two = scheduler.Start("two", () => Both(right, left));
                one();
                two();
            });
        }

        found.Should().NotBeNull();
        found!.Message.Should().Contain("a deadlock").And.Contain("one: sleeps at Enter").And.Contain("two: sleeps at Enter");
    }

    /// <summary>Decisions that never switch without need would wake the one that looks every time.</summary>
    [Fact]
    public void Who_sleeps_for_a_time_wakes_although_another_one_looks_again_and_again()
    {
        var scheduler = new TokenScheduler(new TapeDecisions([]));
        bool isDone = false;
        CrashFailureException? failure = scheduler.Run(() =>
        {
            Action looks = scheduler.Start("looks", () =>
            {
                while (!isDone)
                {
                    scheduler.Sleep(new object(), SchedulingPoint.Caller, TimeSpan.FromMilliseconds(1));
                }
            });
            Action rests = scheduler.Start("rests", () =>
            {
                scheduler.Sleep(new object(), SchedulingPoint.Caller, TimeSpan.FromMilliseconds(1));
                isDone = true;
            });
            looks();
            rests();
        });
        failure.Should().BeNull();
    }

    private static void Both(Storage.Threads.Gate first, Storage.Threads.Gate second)
    {
        using (first.Hold())
        {
            using (second.Hold())
            {
                // Nothing to do: the order of the locks is what fails.
            }
        }
    }

    private static void RequireSuccess(string text, string name)
    {
        ScheduleOutcome outcome = ScheduleRun.Replay(DecisionTape.Parse(text));
        if (outcome.Failure is not null)
        {
            throw ScheduleLane.Report(outcome, name);
        }
    }
}
