using Voron.Simulation.Crashes;
using Voron.Simulation.Tapes;

namespace Voron.Simulation.Schedules;

/// <summary>What came of one schedule.</summary>
/// <param name="Tape">All decisions, to repeat it.</param>
/// <param name="Failure">The first broken promise, or null.</param>
/// <param name="Path">Follows from who ran when and where.</param>
/// <param name="Hash">Follows from everything: the path, all bytes of all disk calls, all recoveries.</param>
/// <param name="Switches">Times that the turn went to another thread.</param>
/// <param name="Decisions">Points at which more than one thread could run.</param>
/// <param name="Opens">Databases opened after cuts and kills.</param>
internal sealed record ScheduleOutcome(
    DecisionTape Tape, CrashFailureException? Failure, Hash128 Path, Hash128 Hash, long Switches, int Decisions, int Opens);
