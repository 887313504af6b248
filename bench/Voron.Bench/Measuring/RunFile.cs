using System.Globalization;
using Voron.Bench.Peers;

namespace Voron.Bench.Measuring;

/// <summary>
/// The file of a whole run: it takes each group when it is done, so that a run which was broken off goes on after the last one.
/// </summary>
internal sealed class RunFile
{
    private readonly string _path;
    private readonly List<Row> _rows = [];
    private readonly string _settings;
    private readonly string _command;
    private readonly string _engine;
    private readonly List<string> _engines = [];
    private readonly List<string> _commands = [];
    private readonly string? _begun = DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    /// <summary>Opens it, or begins it.</summary>
    /// <param name="path">Where.</param>
    /// <param name="settings">Of this run; rows of another one are not added to.</param>
    /// <param name="command">What the run was started with.</param>
    /// <param name="engine">Where ours comes from.</param>
    internal RunFile(string path, string settings, string command, string engine)
    {
        _path = path;
        _settings = settings;
        _command = command;
        _engine = engine;
        if (!File.Exists(path))
        {
            return;
        }

        RunContent content = JsonReport.Read(path);
        if (content.Settings != settings)
        {
            throw new IOException(
                $"'{path}' holds a run with other settings ({content.Settings}; now {settings}). Give another file, or remove it.");
        }

        _rows.AddRange(content.Rows);
        _engines.AddRange(content.Engines ?? []);
        _commands.AddRange(content.Commands ?? []);
        _begun = content.Begun;
    }

    internal IReadOnlyList<Row> Rows => _rows;

    /// <summary>Whether a group was finished before.</summary>
    internal bool Has(Group group) => _rows.Exists(row => row.Section == group.Section && row.Group == group.Name);

    /// <summary>Keeps the rows of a group that is done.</summary>
    internal void Add(IEnumerable<Row> rows)
    {
        _rows.AddRange(rows);
        AddOnce(_engines, _engine);
        AddOnce(_commands, _command);
        JsonReport.Write(
            _path, new RunContent(Machine.Description, Versions.All, _settings, _rows, _begun, _engines, _commands));
    }

    private static void AddOnce(List<string> list, string text)
    {
        if (!list.Contains(text))
        {
            list.Add(text);
        }
    }
}
