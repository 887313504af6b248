using System.Text.Json;

namespace Voron.Samples.Cluster;

/// <summary>The processes of a cluster, in a file: anybody may kill them and start them again.</summary>
/// <param name="Nodes">The nodes of the document server.</param>
/// <param name="Log">The servers of the log.</param>
internal sealed record ClusterFile(Running[] Nodes, Running[] Log)
{
    internal IEnumerable<Running> All => [.. Nodes, .. Log];

    internal static ClusterFile Read(string path)
    {
        using JsonDocument file = JsonDocument.Parse(File.ReadAllBytes(path));
        return new ClusterFile(Processes("nodes"), Processes("log"));

        Running[] Processes(string kind) => [.. file.RootElement.GetProperty(kind).EnumerateArray().Select(static one => new Running(
            one.GetProperty("name").GetString()!,
            one.GetProperty("url").GetString()!,
            one.GetProperty("pid").GetInt32(),
            [.. one.GetProperty("start").EnumerateArray().Select(static word => word.GetString()!)]))];
    }

    /// <summary>Writes the file under another name first: who finds it finds all of it.</summary>
    internal void Write(string path)
    {
        string made = path + ".new";
        using (FileStream file = File.Create(made))
        using (Utf8JsonWriter json = new(file, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartObject();
            Write(json, "nodes", Nodes);
            Write(json, "log", Log);
            json.WriteEndObject();
        }

        File.Move(made, path, overwrite: true);
    }

    private static void Write(Utf8JsonWriter json, string kind, Running[] processes)
    {
        json.WriteStartArray(kind);
        foreach (Running one in processes)
        {
            json.WriteStartObject();
            json.WriteString("name", one.Name);
            json.WriteString("url", one.Url);
            json.WriteNumber("pid", one.Pid);
            json.WriteStartArray("start");
            foreach (string word in one.Start)
            {
                json.WriteStringValue(word);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
