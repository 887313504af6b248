using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Voron.House.Tests;

/// <summary>The C# files a rule looks at, and what the compiler knows about those of <c>src</c>.</summary>
internal sealed class SourceSet
{
    private const string ImplicitUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private static readonly string[] Users =
    [
        "src/Voron.Cli", "src/Voron.Storage.Akka", "src/Voron.Storage.DataProtection", "src/Voron.Storage.Extensions",
        "src/Voron.Storage.Orleans", "src/Voron.Storage.Replication", "src/Voron.Storage.Replication.Etcd",
        "src/Voron.Storage.Replication.Nats", "src/Voron.Storage.Typed",
    ];

    private static readonly Lazy<SourceSet> Everything = new(() => new SourceSet(
        [
            .. Repository.Files("src", ".cs"), .. Repository.Files("tests", ".cs"), .. Repository.Files("bench", ".cs"),
            .. Repository.Files("samples", ".cs"),
        ]));

    private readonly Lazy<CSharpCompilation> _compilation;

    private SourceSet(IReadOnlyList<SourceFile> files)
    {
        Files = files;
        _compilation = new Lazy<CSharpCompilation>(Compile);
    }

    /// <summary>All sources of the working copy: src, tests, bench and samples.</summary>
    internal static SourceSet OfRepository => Everything.Value;

    internal IReadOnlyList<SourceFile> Files { get; }

    /// <summary>
    /// The engine and its natives, not the programs and assemblies beside them: those are users of the public surface, and have no rooms.
    /// </summary>
    internal IEnumerable<SourceFile> Product => Files.Where(file => file.IsUnder("src") && !Users.Any(file.IsUnder));

    /// <summary>
    /// The two product projects bound as one, so that a name is judged by what it means and not by how it is spelled. Source generators
    /// do not run: a partial method without its generated half is an error that no rule looks at.
    /// </summary>
    internal CSharpCompilation Compilation => _compilation.Value;

    /// <summary>An invented working copy.</summary>
    internal static SourceSet Of(params (string Path, string Text)[] files) =>
        new([.. files.Select(file => new SourceFile(file.Path, file.Text))]);

    private CSharpCompilation Compile()
    {
        string framework = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        IEnumerable<MetadataReference> references = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Where(path => Path.GetDirectoryName(path) == framework)
            .Select(path => MetadataReference.CreateFromFile(path));
        SourceFile implicitUsings = new("implicit-usings.cs", ImplicitUsings);
        return CSharpCompilation.Create(
            "house",
            Product.Append(implicitUsings).Select(file => file.Tree),
            references,
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
    }
}
