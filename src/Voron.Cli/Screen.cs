using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Spectre.Console;

namespace Voron.Cli;

/// <summary>
/// Where a verb writes: results to the output, in words or as one JSON document; progress to the error stream, and only when somebody
/// looks at it.
/// </summary>
internal sealed class Screen : IDisposable
{
    /// <summary>Lines that go to a file or a pipe are never wrapped.</summary>
    private const int UnboundedColumns = 1 << 16;

    private static readonly JsonSerializerOptions Json = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    private static readonly JsonSerializerOptions JsonLine = new(Json) { WriteIndented = false };

    private readonly StreamWriter _writer;
    private readonly IAnsiConsole _console;
    private readonly IAnsiConsole _progress;

    /// <param name="output">Where results go.</param>
    /// <param name="error">Where complaints and progress go.</param>
    /// <param name="isInteractive">Whether the output is a terminal.</param>
    /// <param name="showsProgress">Whether the error stream is one.</param>
    /// <param name="colors">Which colours a terminal shows; <see cref="WantedColors"/> knows what its user wants.</param>
    internal Screen(
        Stream output,
        TextWriter error,
        bool isInteractive = false,
        bool showsProgress = false,
        ColorSystemSupport colors = ColorSystemSupport.Detect)
    {
        Output = output;
        Error = error;
        IsInteractive = isInteractive;
        ShowsProgress = showsProgress;
        _writer = new StreamWriter(output, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true) { AutoFlush = true };
        _console = Create(_writer, isInteractive, colors);
        _progress = Create(error, showsProgress, colors);
    }

    /// <summary>No colours where NO_COLOR is set to anything (no-color.org), or where the terminal says that it can show none.</summary>
    internal static ColorSystemSupport WantedColors(Func<string, string?> variable) =>
        !string.IsNullOrEmpty(variable("NO_COLOR")) || variable("TERM") == "dumb"
            ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect;

    /// <summary>The bytes behind <see cref="Line"/>, for values that are written as they are.</summary>
    internal Stream Output { get; }

    /// <summary>What is piped to the tool.</summary>
    internal Stream Input { get; init; } = Stream.Null;

    internal TextWriter Error { get; }

    internal bool IsInteractive { get; }

    internal bool ShowsProgress { get; private set; }

    /// <summary>True when the result is one JSON document.</summary>
    internal bool IsJson { get; private set; }

    internal void SpeakJson()
    {
        IsJson = true;
        ShowsProgress = false;
    }

    internal void Line(string text) => _writer.WriteLine(text);

    /// <summary>A line that says good or bad; a terminal shows it in green or red.</summary>
    internal void Verdict(string text, bool isGood) => Line(Colored(_console, text, isGood ? Color.Green : Color.Red));

    /// <summary>A line whose first part, a name or a key, stands out on a terminal.</summary>
    internal void Named(string name, string rest) => Line(Colored(_console, name, Color.Aqua) + rest);

    /// <summary>A line of the error stream.</summary>
    internal void Complain(string text) => Error.WriteLine(Colored(_progress, text, Color.Red));

    private static string Colored(IAnsiConsole console, string text, Color color)
    {
        if (!HasColors(console))
        {
            return text;
        }

        // The text is cut out of the console's wrapping: only the codes around it come from there.
        string codes = console.ToAnsi(new Text("x", new Style(color)));
        int at = codes.IndexOf('x', StringComparison.Ordinal);
        return codes[..at] + text + codes[(at + 1)..].TrimEnd();
    }

    private static bool HasColors(IAnsiConsole console) =>
        console.Profile.Capabilities.Ansi && console.Profile.Capabilities.ColorSystem != ColorSystem.NoColors;

    /// <summary>A table of plain cells; the first column is a name, all others are aligned as told.</summary>
    internal void Table(IReadOnlyList<string> heads, IEnumerable<IReadOnlyList<string>> rows, params ReadOnlySpan<int> numbers)
    {
        Table table = new() { Border = IsInteractive ? TableBorder.Rounded : TableBorder.Simple };
        for (int i = 0; i < heads.Count; i++)
        {
            Style head = HasColors(_console) ? new Style(decoration: Decoration.Bold) : Style.Plain;
            TableColumn column = new(new Text(heads[i], head)) { NoWrap = true };
            table.AddColumn(numbers.Contains(i) ? column.RightAligned() : column);
        }

        foreach (IReadOnlyList<string> row in rows)
        {
            table.AddRow([.. row.Select(static cell => new Text(cell))]);
        }

        _console.Write(table);
    }

    /// <summary>Names and values, one pair a line.</summary>
    internal void Pairs(IEnumerable<KeyValuePair<string, string>> pairs)
    {
        List<KeyValuePair<string, string>> all = [.. pairs];
        int width = all.Count == 0 ? 0 : all.Max(static pair => pair.Key.Length);
        foreach ((string name, string value) in all)
        {
            Named(name.PadRight(width), $"  {value}");
        }
    }

    internal void Document(object document) => Line(JsonSerializer.Serialize(document, document.GetType(), Json));

    /// <summary>One of many documents, in one line.</summary>
    internal void DocumentLine(object document) => Line(JsonSerializer.Serialize(document, document.GetType(), JsonLine));

    /// <summary>A result in the one form that was asked for.</summary>
    internal void Show(object document, Action words)
    {
        if (IsJson)
        {
            Document(document);
        }
        else
        {
            words();
        }
    }

    /// <summary>Does the work under a progress bar, which tells a part from 0 to 1.</summary>
    internal T Watch<T>(string task, Func<IProgress<double>, T> work)
    {
        if (!ShowsProgress)
        {
            return work(new Silence<double>());
        }

        return _progress.Progress().AutoClear(true).Start(context =>
        {
            ProgressTask bar = context.AddTask(task, maxValue: 1.0);
            return work(new Teller<double>(part => bar.Value = part));
        });
    }

    /// <summary>Does work of unknown length under a line that says how far it is.</summary>
    internal T Follow<T>(string task, Func<IProgress<string>, T> work)
    {
        if (!ShowsProgress)
        {
            return work(new Silence<string>());
        }

        return _progress.Status().Start(task, context => work(new Teller<string>(far => context.Status($"{task}: {Markup.Escape(far)}"))));
    }

    public void Dispose() => _writer.Dispose();

    private static IAnsiConsole Create(TextWriter writer, bool isInteractive, ColorSystemSupport colors)
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            Ansi = !isInteractive ? AnsiSupport.No : colors == ColorSystemSupport.Standard ? AnsiSupport.Yes : AnsiSupport.Detect,
            ColorSystem = colors,
            Interactive = isInteractive ? InteractionSupport.Detect : InteractionSupport.No,
        });
        if (!isInteractive)
        {
            console.Profile.Width = UnboundedColumns;
        }

        return console;
    }

    private sealed class Silence<T> : IProgress<T>
    {
        public void Report(T value)
        {
        }
    }

    private sealed class Teller<T>(Action<T> tell) : IProgress<T>
    {
        public void Report(T value) => tell(value);
    }
}
