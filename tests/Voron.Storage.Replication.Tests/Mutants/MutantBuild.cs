using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Voron.Mutants;
using Voron.Storage.Replication.Tests.Simulation;

namespace Voron.Storage.Replication.Tests.Mutants;

/// <summary>The product with all edits of the table, and the simulation, as one assembly.</summary>
public sealed class MutantBuild : IDisposable
{
    internal static readonly string Root = typeof(MutantBuild).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .First(static one => one.Key == "Root").Value!;

    internal static readonly string Product = Path.Combine(Root, "src", "Voron.Storage.Replication");

    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private readonly AssemblyLoadContext _context = new(nameof(MutantBuild), isCollectible: true);
    private readonly Assembly _assembly;

    public MutantBuild()
    {
        string tests = Path.Combine(Root, "tests", "Voron.Storage.Replication.Tests", "Simulation");
        CSharpParseOptions language = new(LanguageVersion.Latest);
        IEnumerable<string> texts = Sources(Product)
            .Select(static path => Table.Apply(Path.GetRelativePath(Product, path).Replace('\\', '/'), File.ReadAllText(path)))
            .Concat(Sources(tests).Where(static path => !path.EndsWith("Tests.cs", StringComparison.Ordinal)).Select(File.ReadAllText))
            .Append(Table.Switches().Replace("namespace Voron.Storage;", "namespace Voron.Storage.Replication;", StringComparison.Ordinal))
            .Append(Usings);
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Voron.Storage.Replication",
            texts.Select(text => CSharpSyntaxTree.ParseText(text, language)),
            References(),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable));
        using MemoryStream image = new();
        Microsoft.CodeAnalysis.Emit.EmitResult result = compilation.Emit(image);
        if (!result.Success)
        {
            throw new InvalidOperationException(string.Join(
                "\n", result.Diagnostics.Where(static one => one.Severity == DiagnosticSeverity.Error).Take(10)));
        }

        image.Position = 0;
        _assembly = _context.LoadFromStream(image);
    }

    internal static MutantTable Table { get; } = MutantTable.Load(
        Path.Combine(Root, "tests", "Voron.Storage.Replication.Tests", "Mutants"));

    internal static IEnumerable<string> Sources(string folder) =>
        Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Where(path => !Path.GetRelativePath(folder, path).Split('/', '\\').Any(static part => part is "bin" or "obj"));

    /// <summary>The first seed at which a schedule fails while a rule is broken; 0 if none of the first ones does.</summary>
    internal int FindSeed(string? rule, int most)
    {
        PropertyInfo broken = _assembly.GetType("Voron.Storage.Replication.Mutant", throwOnError: true)!.GetProperty(
            "Broken", BindingFlags.Static | BindingFlags.NonPublic)!;
        MethodInfo run = _assembly.GetType(typeof(Schedule).FullName!, throwOnError: true)!.GetMethod(
            nameof(Schedule.Run), BindingFlags.Static | BindingFlags.NonPublic)!;
        broken.SetValue(null, rule);
        try
        {
            for (int seed = 1; seed <= most; seed++)
            {
                try
                {
                    run.Invoke(null, [seed, ScheduleTests.Steps]);
                }
                catch (TargetInvocationException)
                {
                    return seed;
                }
            }

            return 0;
        }
        finally
        {
            broken.SetValue(null, null);
        }
    }

    public void Dispose() => _context.Unload();

    /// <summary>All that this test has loaded or may load, without the product itself.</summary>
    private static IEnumerable<MetadataReference> References() =>
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(static path => Path.GetFileNameWithoutExtension(path) is not ("Voron.Storage.Replication"
                or "Voron.Storage.Replication.Tests"))
            .Select(static path => MetadataReference.CreateFromFile(path));
}
