using Voron.Mutants;

namespace Voron.House.Tests.Rules;

public sealed class MutantTableTests
{
    private static readonly MutantTable Table = MutantTable.Load(Path.Combine(Repository.Root, "tests", "Voron.Mutants", "Table"));

    [Fact]
    public void Each_text_occurs_exactly_once_in_the_engine()
    {
        foreach (string file in Table.Edits.Select(static edit => edit.File).Distinct())
        {
            string path = Path.Combine(Repository.Root, "src", "Voron.Storage", file);
            File.Exists(path).Should().BeTrue("the table names {0}", file);
            Action apply = () => Table.Apply(file, File.ReadAllText(path));
            apply.Should().NotThrow();
        }
    }

    [Fact]
    public void Each_rule_is_broken_somewhere_and_says_what_it_protects()
    {
        Table.Edits.SelectMany(MutantTable.RulesOf).Distinct().Should().BeEquivalentTo(Table.Rules.Keys);
        Table.Rules.Values.Should().NotContain(string.Empty);
    }

    [Fact]
    public void The_product_knows_nothing_of_broken_rules() => SourceSet.OfRepository.Product
        .Where(static file => file.Text.Contains("sabotage", StringComparison.OrdinalIgnoreCase)
            || file.Text.Contains("mutant", StringComparison.OrdinalIgnoreCase))
        .Select(static file => file.Path).Should().BeEmpty();

    [Theory]
    [InlineData("= A\n: a\n@ F.cs\n-one\n+two\n", "one\none\n", "*more than once*")]
    [InlineData("= A\n: a\n@ F.cs\n-one\n+two\n", "once\n", "*nowhere*")]
    [InlineData("= A\n: a\n@ F.cs\n one\n two\n+x\n@ F.cs\n-two\n", "one\ntwo\n", "*overlaps*")]
    public void A_text_that_is_not_there_once_is_named(string table, string file, string message)
    {
        Action apply = () => Load(table).Apply("F.cs", file);
        apply.Should().Throw<FormatException>().WithMessage(message);
    }

    [Fact]
    public void Edits_of_a_file_are_made_side_by_side()
    {
        MutantTable table = Load("= A\n: a\n@ F.cs\n-two\n+if (Mutant.A) two\n@ F.cs\n+zero\n one\n");
        table.Apply("F.cs", "one\ntwo\nthree\n").Should().Be("zero\none\nif (Mutant.A) two\nthree\n");
        table.Apply("G.cs", "one\n").Should().Be("one\n");
    }

    private static MutantTable Load(string text)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("voron-mutants-");
        try
        {
            File.WriteAllText(Path.Combine(folder.FullName, "Test.txt"), text);
            return MutantTable.Load(folder.FullName);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
