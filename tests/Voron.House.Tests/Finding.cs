namespace Voron.House.Tests;

/// <summary>One breach of a house rule.</summary>
/// <param name="Rule">Id of the rule, as the ratchet file spells it.</param>
/// <param name="Subject">What breaks it: a path relative to the root, or path#member.</param>
/// <param name="Measure">How much of it there is: lines, columns, occurrences. The ratchet compares this number.</param>
/// <param name="Message">What is wrong and what to do.</param>
internal sealed record Finding(string Rule, string Subject, long Measure, string Message)
{
    public override string ToString() => $"[{Rule}] {Subject}: {Message}";
}
