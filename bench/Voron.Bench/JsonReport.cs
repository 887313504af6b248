using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Voron.Bench.Peers;

namespace Voron.Bench;

/// <summary>Writes and reads the rows for machines: an object with <c>rows</c>, and what is needed to judge where they come from.</summary>
internal static class JsonReport
{
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        WriteIndented = true,
        NumberHandling = JsonNumberHandling.Strict,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    /// <summary>Two runs with other settings are no one run.</summary>
    internal static string SettingsOf(Arguments arguments) => string.Create(
        CultureInfo.InvariantCulture,
        $"seed {arguments.Seed}, scale {arguments.Scale}, transactions {arguments.Transactions}, megabytes {arguments.Megabytes}"
        + $", a peer's round ends after {arguments.CapSeconds} s, of the headline after {arguments.WholeCapSeconds} s"
        + $"{(arguments.WantedRounds is { } rounds ? $", rounds {rounds}" : string.Empty)}"
        + $"{(arguments.HasConstantValues ? ", constant values" : string.Empty)}"
        + $"{(arguments.Engines.Count > 0 ? ", engines " + string.Join(',', arguments.Engines) : string.Empty)}");

    /// <summary>Writes rows where a path was given.</summary>
    internal static void Write(string? path, IReadOnlyList<Row> rows)
    {
        if (path is not null)
        {
            Write(path, new RunContent(Machine.Description, Versions.All, string.Empty, rows));
        }
    }

    /// <summary>Writes a file anew; whoever looks meanwhile sees the old one or the new one.</summary>
    internal static void Write(string path, RunContent content)
    {
        string full = Path.GetFullPath(path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        string fresh = full + ".new";
        File.WriteAllText(fresh, JsonSerializer.Serialize(content, Options) + "\n");
        File.Move(fresh, full, overwrite: true);
    }

    /// <summary>Reads what was written.</summary>
    internal static RunContent Read(string path) =>
        JsonSerializer.Deserialize<RunContent>(File.ReadAllText(path), Options)
            ?? throw new VerificationException("the file of the run is empty.");
}
