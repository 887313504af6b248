using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Commits;

/// <summary>The exceptions of commits.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void OutcomeUnknown(Exception first) => throw MakeOutcomeUnknown(first);

    internal static CommitOutcomeUnknownException MakeOutcomeUnknown(Exception first) => new(
        "The journal write of this commit failed. Reopen the database: the transaction is then there as a whole or not at all. "
        + first.Message,
        first);
}
