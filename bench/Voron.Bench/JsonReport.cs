using System.Text.Json;
using System.Text.Json.Serialization;

namespace Voron.Bench;

/// <summary>Writes the rows for machines: an object with <c>rows</c>, and what is needed to judge where they come from.</summary>
internal static class JsonReport
{
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        WriteIndented = true,
        NumberHandling = JsonNumberHandling.Strict,
    };

    internal static void Write(string? path, IReadOnlyList<Row> rows)
    {
        if (path is null)
        {
            return;
        }

        string full = Path.GetFullPath(path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, JsonSerializer.Serialize(new { Machine = Machine.Description, Rows = rows }, Options) + "\n");
    }
}
