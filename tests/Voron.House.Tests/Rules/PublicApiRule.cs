namespace Voron.House.Tests.Rules;

/// <summary>The public surface changes only on purpose: it is kept as text beside the tests and compared line by line.</summary>
internal static class PublicApiRule
{
    internal const string Id = "public-api";
    internal const string AcceptVariable = "VORON_ACCEPT_PUBLIC_API";

    internal static string FileOf(string assembly) => $"tests/Voron.House.Tests/public-api.{assembly}.txt";

    internal static IEnumerable<Finding> Check(string assembly, IReadOnlyList<string> accepted, IReadOnlyList<string> actual)
    {
        List<string> difference =
        [
            .. accepted.Except(actual).Select(line => "- " + line),
            .. actual.Except(accepted).Select(line => "+ " + line),
        ];
        if (difference.Count > 0)
        {
            yield return new Finding(
                Id,
                FileOf(assembly),
                difference.Count,
                $"the public surface of {assembly} changed:\n{string.Join('\n', difference)}\n"
                + $"If that is meant: {AcceptVariable}=1 dotnet test -c Release tests/Voron.House.Tests, then commit the file.");
        }
    }
}
