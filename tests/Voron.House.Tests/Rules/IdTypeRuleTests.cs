namespace Voron.House.Tests.Rules;

public sealed class IdTypeRuleTests
{
    private const string InRoom = "src/Voron.Storage/Trees/A.cs";

    [Fact]
    public void The_ids_of_the_repository_are_types() =>
        Ratchet.OfRepository.Judge(IdTypeRule.Check(SourceSet.OfRepository), IdTypeRule.Id).ShouldBeEmpty();

    [Theory]
    [InlineData("class A { void B(long page) { } }")]
    [InlineData("class A { void B(ref long pageNumber) { } }")]
    [InlineData("class A { long? _lastPage; }")]
    [InlineData("class A { ulong RootPage { get; set; } }")]
    [InlineData("class A { long MapPage(int group) => 0; }")]
    [InlineData("class A { readonly long _root; }")]
    [InlineData("class A { void B(C c) { long transactionId = c.D; } }")]
    [InlineData("class A { void B(long[] all) { foreach (long snapshot in all) { } } }")]
    [InlineData("class A { void B() { for (long page = 0; page < 2; page++) { } } }")]
    [InlineData("class A { void B() { C(out long leftPage); } }")]
    [InlineData("class A { System.Collections.Generic.List<(long Transaction, int Length)> _b; }")]
    [InlineData("record struct A(long Page);")]
    [InlineData("struct A { [FieldOffset(8)] internal System.Int64 B; internal Int64 PageNumber; }")]
    public void A_bare_long_is_named(string text) => Check(InRoom, text).Should().ContainSingle().Which.Should()
        .Match<Finding>(f => f.Subject == InRoom && f.Measure == 1);

    [Fact]
    public void All_of_a_file_are_counted() =>
        Check(InRoom, "class A { long _page, _root; void B(long snapshot) { } }").Should().ContainSingle().Which.Measure.Should().Be(3);

    [Theory]
    [InlineData(InRoom, "class A { void B(PageNumber page, TransactionId snapshot) { } }")]
    [InlineData(InRoom, "class A { long pages, pageCount, PagesPerGroup, _visibleValue, homepage, PageBytes, transactions; }")]
    [InlineData(InRoom, "class A { const long BytesPerTransaction = 1; int page; double root; }")]
    [InlineData("src/Voron.Storage/Contract/A.cs", "record A(long PageNumber);")]
    [InlineData("src/Voron.Storage/Tree.cs", "class A { long TransactionId; }")]
    [InlineData("tests/Voron.Storage.Tests/Trees/A.cs", "class A { long page; }")]
    public void Other_names_and_places_pass(string path, string text) => Check(path, text).Should().BeEmpty();

    private static List<Finding> Check(string path, string text) => [.. IdTypeRule.Check(SourceSet.Of((path, text)))];
}
