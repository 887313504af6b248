using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Voron.House.Tests.Rules;

/// <summary>
/// What the compiler says to actions of <c>WriteAsync</c>: those that return a task are an error with a sentence that tells the way out,
/// all others mean what they meant without it.
/// </summary>
public sealed class AsyncActionTests
{
    private const string Obsolete = "CS0619";

    [Theory]
    [InlineData("await env.WriteAsync(async tx => { tx.OpenTree(\"t\"); await Task.Yield(); });")]
    [InlineData("await env.WriteAsync(async tx => { tx.OpenTree(\"t\"); await Task.Yield(); }, stop);")]
    [InlineData("await env.WriteAsync(async tx => { await Task.Yield(); return 5; });")]
    [InlineData("await env.WriteAsync(async tx => await Task.Yield(), cancellationToken: stop);")]
    [InlineData("await env.WriteAsync(tx => Task.CompletedTask);")]
    [InlineData("await env.WriteAsync(tx => Task.FromResult(tx.OpenTree(\"t\").Count));")]
    [InlineData("await env.WriteAsync(tx => LaterAsync(tx), stop);")]
    [InlineData("await env.WriteAsync(tx => NumberAsync(tx));")]
    [InlineData("await env.WriteAsync(async (tx, n) => { tx.OpenTree(\"t\"); await Task.Yield(); }, 5);")]
    [InlineData("await env.WriteAsync(async (tx, n) => { await Task.Yield(); return n; }, 5, stop);")]
    [InlineData("await env.WriteAsync((tx, n) => Task.CompletedTask, 5);")]
    [InlineData("await env.WriteAsync((tx, n) => LaterAsync(tx), 5);")]
    [InlineData("await env.WriteAsync((tx, n) => NumberAsync(tx), 5, stop);")]
    [InlineData("await env.WriteAsync<int, Task>((tx, n) => Task.CompletedTask, 5);")]
    [InlineData("Func<WriteTransaction, int, Task> f = (tx, n) => Task.CompletedTask; await env.WriteAsync(f, 5);")]
    [InlineData("await env.WriteAsync(static (WriteTransaction tx, int n) => LaterAsync(tx), 5);")]
    [InlineData("await env.WriteAsync(LaterTaskAsync, 5);")]
    public void An_action_that_returns_a_task_is_an_error_that_tells_the_way_out(string code)
    {
        Diagnostic error = Compile(code).Should().ContainSingle("{0}", code).Which;
        error.Id.Should().Be(Obsolete);
        error.GetMessage(null).Should().Contain("cannot await").And.Contain("BeginWriteAsync and CommitAsync");
    }

    [Theory]
    [InlineData("await env.WriteAsync(tx => { tx.OpenTree(\"t\"); });")]
    [InlineData("await env.WriteAsync(tx => { tx.OpenTree(\"t\"); }, stop);")]
    [InlineData("await env.WriteAsync(tx => tx.OpenTree(\"t\").Put(\"k\"u8, \"v\"u8), stop);")]
    [InlineData("await env.WriteAsync(tx => tx.DropTree(\"t\"));")]
    [InlineData("await env.WriteAsync(tx => tx.OpenTree(\"t\"));")]
    [InlineData("await env.WriteAsync(tx => throw new InvalidOperationException());")]
    [InlineData("await env.WriteAsync(tx => { throw new InvalidOperationException(); });")]
    [InlineData("await env.WriteAsync(static _ => { });")]
    [InlineData("await env.WriteAsync(delegate { });")]
    [InlineData("await env.WriteAsync(Change);")]
    [InlineData("Action<WriteTransaction> a = Change; await env.WriteAsync(a, stop);")]
    [InlineData("await env.WriteAsync((tx, n) => { tx.OpenTree(\"t\"); }, 5);")]
    [InlineData("await env.WriteAsync((tx, n) => tx.OpenTree(\"t\").Put(\"k\"u8, \"v\"u8), 5, stop);")]
    [InlineData("await env.WriteAsync((tx, n) => throw new InvalidOperationException(), 5);")]
    [InlineData("await env.WriteAsync(ChangeBy, 5);")]
    [InlineData("bool there = await env.WriteAsync((tx, n) => tx.DropTree(\"t\"), 5);")]
    [InlineData("int n = await env.WriteAsync<int, int>((tx, n) => n + 1, 5);")]
    [InlineData("int n = await env.WriteAsync((tx, n) => n + 1, 5, stop);")]
    [InlineData("int n = await env.WriteAsync((tx, n) => { if (n > 5) { throw new InvalidOperationException(); } return n; }, 5);")]
    [InlineData("string? s = await env.WriteAsync<int, string?>((tx, n) => null, 5);")]
    [InlineData("int n = await env.WriteAsync(CountBy, 5);")]
    [InlineData("Func<WriteTransaction, int, long> f = (tx, n) => n; long l = await env.WriteAsync(f, 5);")]
    [InlineData("await env.WriteAsync((tx, n) => { tx.OpenTree(\"t\"); }, Task.CompletedTask);")]
    [InlineData("(int, bool) r = await env.WriteAsync((tx, n) => (n, tx.DropTree(\"t\")), 5);")]
    public void Every_other_action_compiles(string code) => Compile(code).Should().BeEmpty("{0}", code);

    private static List<Diagnostic> Compile(string code)
    {
        string program = $$"""
            using System;
            using System.Threading;
            using System.Threading.Tasks;
            using Voron.Storage;
            static class Block
            {
                static async Task Run(StorageEnvironment env, CancellationToken stop)
                {
                    {{code}}
                }

                static void Change(WriteTransaction tx) => tx.OpenTree("t");
                static void ChangeBy(WriteTransaction tx, int n) => tx.OpenTree("t");
                static int CountBy(WriteTransaction tx, int n) => n;
                static ValueTask LaterAsync(WriteTransaction tx) => default;
                static ValueTask<int> NumberAsync(WriteTransaction tx) => default;
                static Task LaterTaskAsync(WriteTransaction tx, int n) => Task.CompletedTask;
            }
            """;
        return
        [
            .. CSharpCompilation.Create(
                "actions",
                [CSharpSyntaxTree.ParseText(program, new CSharpParseOptions(LanguageVersion.CSharp14))],
                DocumentCodeRule.References(),
                new CSharpCompilationOptions(
                    OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
                .GetDiagnostics()
                .Where(static problem => problem.Severity == DiagnosticSeverity.Error),
        ];
    }
}
