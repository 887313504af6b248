using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.House.Tests.Rules;

public sealed class FormatRuleTests
{
    private const string Good = """
        ### Sample (16 bytes)

        | offset | bytes | field | meaning |
        |---:|---:|---|---|
        | 0 | 8 | Checksum | See *Checksum*. |
        | 8 | 4 | Kind | The kind. |
        | 12 | 2 | Count | Entries. |
        | 14 | 2 | Reserved | Zero. |

        ## Other tables

        | name | value | where |
        |---|---|---|
        | HeaderMagic | 0x2A | header |

        | code | operation | arguments |
        |---:|---|---|
        | 1 | Put | key |
        | 2 | Delete | key |
        """;

    private enum Operation
    {
        None,
        Put,
        Delete,
    }

    [Fact]
    public void The_document_describes_the_structures() => FormatRule.CheckStructures(Document(), typeof(PageHeader).Assembly.GetTypes()
        .Where(type => type.Namespace == typeof(PageHeader).Namespace)).ShouldBeEmpty();

    [Fact]
    public void The_document_lists_the_magic_numbers() => FormatRule.CheckMagic(Document(), typeof(FormatConstants)).ShouldBeEmpty();

    [Fact]
    public void The_document_lists_the_redo_operations() => FormatRule.CheckOperations(Document(), typeof(RedoOperation)).ShouldBeEmpty();

    [Fact]
    public void A_true_document_passes() => Check(Good).Should().BeEmpty();

    [Theory]
    [InlineData("(16 bytes)", "(24 bytes)", "24 bytes in the document, 16 in the code")]
    [InlineData("| 8 | 4 | Kind", "| 8 | 2 | Kind", "Kind is 2 bytes at 8 in the document, 4 bytes at 8 in the code")]
    [InlineData("| 12 | 2 | Count", "| 14 | 2 | Count", "Count stands at 14; the row before it ends at 12")]
    [InlineData("| Count |", "| Number |", "the code has no field Number")]
    [InlineData("| Count |", "| Number |", "no row for the field Count")]
    [InlineData("| 14 | 2 | Reserved | Zero. |", "", "its rows end at 14")]
    [InlineData("### Sample", "### Simple", "describes Simple; no structure")]
    [InlineData("### Sample", "### Simple", "does not describe Sample")]
    [InlineData("0x2A", "0x2B", "HeaderMagic = 43")]
    [InlineData("| HeaderMagic | 0x2A | header |", "", "HeaderMagic = 42 (0x2A) of the code is not in the document")]
    [InlineData("| 2 | Delete | key |", "| 3 | Delete | key |", "Delete = 3")]
    [InlineData("| 2 | Delete | key |", "| 2 | Delete | key |\n| 3 | Drop | name |", "Drop = 3")]
    public void A_false_document_is_named(string part, string instead, string complaint)
    {
        Good.Should().Contain(part);
        Check(Good.Replace(part, instead, StringComparison.Ordinal))
            .Should().Contain(f => f.Message.Contains(complaint, StringComparison.Ordinal));
    }

    [Fact]
    public void A_structure_out_of_alignment_is_named() =>
        FormatRule.CheckStructures("### Crooked (12 bytes)\n| o | b | f |\n|-|-|-|\n| 0 | 4 | A |\n| 4 | 8 | B |\n", [typeof(Crooked)])
            .Should().ContainSingle().Which.Message.Should().Contain("B at 4 is not naturally aligned");

    [Fact]
    public void Nothing_to_compare_with_is_a_complaint() => FormatRule.CheckMagic(string.Empty, typeof(Sample)).Should().ContainSingle();

    private static string Document() => File.ReadAllText(Path.Combine(Repository.Root, FormatRule.Document));

    private static IEnumerable<Finding> Check(string document) => FormatRule.CheckStructures(document, [typeof(Sample), typeof(Constants)])
        .Concat(FormatRule.CheckMagic(document, typeof(Constants)))
        .Concat(FormatRule.CheckOperations(document, typeof(Operation)));

    private static class Constants
    {
        internal const uint HeaderMagic = 42;
        internal const int MaxNameBytes = 255;
    }

    [StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
    private struct Sample
    {
        internal const int SizeBytes = 16;

        [FieldOffset(0)] internal ulong Checksum;
        [FieldOffset(8)] internal Operation Kind;
        [FieldOffset(12)] internal ushort Count;
        [FieldOffset(14)] internal ushort Reserved;
    }

    [StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
    private struct Crooked
    {
        internal const int SizeBytes = 12;

        [FieldOffset(0)] internal int A;
        [FieldOffset(4)] internal long B;
    }
}
