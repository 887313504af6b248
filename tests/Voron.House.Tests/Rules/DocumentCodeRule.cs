using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Every C# block of the documents compiles against the public surface, as a program of its own. A block that is a part of one says what it
/// is given in a comment on the line before it, which no reader of the rendered page sees: <c>&lt;!-- given: ReadTree users --&gt;</c>.
/// </summary>
internal static partial class DocumentCodeRule
{
    internal const string Id = "document-code";

    private const string Usings = """
        global using System;
        global using System.Buffers;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.IO.Pipelines;
        global using System.Linq;
        global using System.Text;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private static readonly string[] Frameworks =
        ["Voron.Storage", "Microsoft.Extensions.", "Microsoft.AspNetCore.", "Orleans.", "Akka", "Reactive."];

    /// <summary>What a block without its own head uses: ours, and the frameworks of our adapters.</summary>
    private const string BlockUsings = """
        using Akka.Actor;
        using Akka.Actor.Setup;
        using Akka.Persistence.Query;
        using Microsoft.AspNetCore.DataProtection;
        using Microsoft.Extensions.DependencyInjection;
        using Voron.Storage;
        using Voron.Storage.Akka;
        using Voron.Storage.DataProtection;
        using Voron.Storage.Extensions;
        using Voron.Storage.Orleans;
        using Voron.Storage.Replication;
        using Voron.Storage.Replication.Etcd;
        using Voron.Storage.Replication.Nats;
        using Voron.Storage.Typed;

        """;

    internal static IEnumerable<Finding> Check(IEnumerable<SourceFile> documents) => documents.SelectMany(Check);

    /// <summary>The blocks of a document: the line where each begins, what it is given (null for a whole program), its code.</summary>
    internal static IEnumerable<(int Line, string? Given, string Code)> Blocks(string text)
    {
        string[] lines = text.ReplaceLineEndings("\n").Split('\n');
        for (int i = 0; i < lines.Length; i++)
        {
            if (lines[i].Trim() != "```csharp")
            {
                continue;
            }

            int end = Array.FindIndex(lines, i + 1, static line => line.Trim() == "```");
            end = end < 0 ? lines.Length : end;
            Match given = i == 0 ? Match.Empty : Given().Match(lines[i - 1]);
            yield return (i + 1, given.Success ? given.Groups["what"].Value : null, string.Join('\n', lines[(i + 1)..end]));
            i = end;
        }
    }

    private static IEnumerable<Finding> Check(SourceFile document)
    {
        foreach ((int line, string? given, string code) in Blocks(document.Text))
        {
            foreach (Diagnostic problem in Compile(given, code))
            {
                int at = line + 1 + problem.Location.GetMappedLineSpan().StartLinePosition.Line;
                yield return new Finding(Id, document.Path, 1, $"line {at}: {problem.Id}: {problem.GetMessage(null)}");
            }
        }
    }

    private static IEnumerable<Diagnostic> Compile(string? given, string code)
    {
        CSharpParseOptions parse = new(LanguageVersion.Preview);
        string async = code.Contains("await ", StringComparison.Ordinal) ? "async Task" : "void";
        string program = given is null
            ? code
            : BlockUsings
                + $"static class Block {{ static {async} Run({given}) {{\n#line 1\n{code}\n}} }}";
        SyntaxTree tree = CSharpSyntaxTree.ParseText(program, parse);
        return CSharpCompilation.Create(
            "document",
            [tree, CSharpSyntaxTree.ParseText(Usings, parse)],
            References(),
            new CSharpCompilationOptions(
                given is null ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
                nullableContextOptions: NullableContextOptions.Enable))
            .GetDiagnostics()
            .Where(static problem => problem.Severity == DiagnosticSeverity.Error
                || (problem.Severity == DiagnosticSeverity.Warning && problem.Id.StartsWith("CS86", StringComparison.Ordinal)));
    }

    internal static IEnumerable<MetadataReference> References()
    {
        string framework = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        return ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Where(path => Path.GetDirectoryName(path) == framework || IsNamed(Path.GetFileName(path)))
            .Select(static path => MetadataReference.CreateFromFile(path));
    }

    /// <summary>What a user of the documents has beside the framework: our assemblies, and those of .NET's hosts.</summary>
    private static bool IsNamed(string file) =>
        file.EndsWith(".dll", StringComparison.Ordinal)
        && Frameworks.Any(start => file.StartsWith(start, StringComparison.Ordinal));

    [GeneratedRegex("^<!-- given: (?<what>.+) -->$")]
    private static partial Regex Given();
}
