namespace Voron.House.Tests;

/// <summary>Turns findings into one failure message with a line for each.</summary>
internal static class Verdict
{
    internal static void ShouldBeEmpty(this IEnumerable<Finding> findings)
    {
        List<Finding> all = [.. findings];
        if (all.Count > 0)
        {
            Assert.Fail($"{all.Count} breaches of the house rules:{Environment.NewLine}{string.Join(Environment.NewLine, all)}");
        }
    }
}
