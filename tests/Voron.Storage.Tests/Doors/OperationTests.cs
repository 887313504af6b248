using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// All operations of trees against a sorted dictionary, for every page size; VORON_SEED repeats a run, VORON_OPERATIONS lengthens it.
/// </summary>
public class OperationTests(ITestOutputHelper output)
{
    private const long Operations = 25_000;

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(16384)]
    [InlineData(32768)]
    [InlineData(65536)]
    public void Every_operation_does_what_a_sorted_dictionary_does(int pageBytes)
    {
        int seed = (int)Number("VORON_SEED", Random.Shared.Next());
        long operations = Number("VORON_OPERATIONS", Operations);
        string command = $"VORON_SEED={seed} VORON_OPERATIONS={operations} dotnet test -c Release tests/Voron.Storage.Tests "
            + "--filter FullyQualifiedName~OperationTests";
        output.WriteLine($"pages of {pageBytes} bytes; to repeat: {command}");
        using OperationRun run = new(seed, pageBytes);
        Run(run, operations, command);
    }

    /// <summary>The same on files, where pending trees have lower layers.</summary>
    [Theory]
    [InlineData(4096)]
    [InlineData(16384)]
    public void Every_operation_on_layers_does_what_a_sorted_dictionary_does(int pageBytes)
    {
        int seed = (int)Number("VORON_SEED", Random.Shared.Next());
        long operations = Number("VORON_OPERATIONS", Operations);
        string command = $"VORON_SEED={seed} VORON_OPERATIONS={operations} dotnet test -c Release tests/Voron.Storage.Tests "
            + "--filter FullyQualifiedName~OperationTests";
        output.WriteLine($"pages of {pageBytes} bytes; to repeat: {command}");
        using TemporaryFolder folder = new();
        using OperationRun run = new(seed, pageBytes, folder.Path);
        Run(run, operations, command);
        output.WriteLine($"most bytes in layers {run.MostSpilledBytes}");
        run.MostSpilledBytes.Should().BePositive();
    }

    private static void Run(OperationRun run, long operations, string command)
    {
        try
        {
            run.Run(operations);
        }
        catch (Exception error)
        {
            throw new InvalidOperationException($"After {run.Operations} operations. To repeat: {command}. {error.Message}", error);
        }

        run.Replays.Should().BeGreaterThan(2);
    }

    private static long Number(string variable, long otherwise) =>
        Environment.GetEnvironmentVariable(variable) is { } text ? long.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
