namespace Voron.House.Tests.Rules;

public sealed class SizeRuleTests
{
    private static readonly string[] Ids = [SizeRule.FileLines, SizeRule.TypeLines, SizeRule.FunctionLines, SizeRule.LineColumns];

    [Fact]
    public void The_repository_keeps_the_sizes() => Ratchet.OfRepository.Judge(SizeRule.Check(SourceSet.OfRepository), Ids).ShouldBeEmpty();

    [Fact]
    public void A_file_may_have_400_lines_but_not_401()
    {
        Check(Repeat("// line\n", 400)).Should().BeEmpty();
        Check(Repeat("// line\n", 401)).Should().ContainSingle().Which.Should().Match<Finding>(f => f.Rule == SizeRule.FileLines
            && f.Measure == 401);
    }

    [Fact]
    public void The_parts_of_a_type_may_have_400_lines_together_but_not_401()
    {
        SizeRule.Check(Parts(200, 200)).Should().BeEmpty();
        SizeRule.Check(Parts(200, 201)).Should().ContainSingle().Which.Should().Match<Finding>(f => f.Rule == SizeRule.TypeLines
            && f.Subject == "N.A" && f.Measure == 401);

        static SourceSet Parts(int one, int other) => SourceSet.Of(("src/A.cs", Part(one)), ("src/A.B.cs", Part(other)));
        static string Part(int lines) => "namespace N;\npartial class A\n{\n" + Repeat("// line\n", lines - 4) + "}\n";
    }

    [Fact]
    public void A_line_may_have_140_columns_but_not_141()
    {
        Check("//" + new string('x', 138) + "\r\n").Should().BeEmpty();
        Check("//" + new string('x', 139) + "\n").Should().ContainSingle().Which.Rule.Should().Be(SizeRule.LineColumns);
    }

    [Theory]
    [InlineData("class A { A()\n{\nBODY} }", "A.new")]
    [InlineData("class A { void B()\n{\nBODY} }", "A.B")]
    [InlineData("class A { int B { get\n{\nBODYreturn 1; } } }", "A.B.get")]
    [InlineData("class A { System.Action B = () =>\n{\nBODY}; }", "A.lambda")]
    [InlineData("void B()\n{\nBODY}", "B")]
    public void A_function_may_have_70_lines_but_not_71(string shape, string name)
    {
        Check(shape.Replace("BODY", Repeat(";\n", 67), StringComparison.Ordinal)).Should().BeEmpty();
        Check(shape.Replace("BODY", Repeat(";\n", 68), StringComparison.Ordinal))
            .Should().ContainSingle().Which.Should().Match<Finding>(f => f.Rule == SizeRule.FunctionLines
                && f.Subject == "src/A.cs#" + name && f.Measure == 71);
    }

    [Fact]
    public void Top_level_statements_are_a_function_too() =>
        Check(Repeat("System.GC.Collect();\n", 71)).Should().ContainSingle().Which.Subject.Should().Be("src/A.cs#Main");

    private static List<Finding> Check(string text) => [.. SizeRule.Check(SourceSet.Of(("src/A.cs", text)))];

    private static string Repeat(string text, int times) => string.Concat(Enumerable.Repeat(text, times));
}
