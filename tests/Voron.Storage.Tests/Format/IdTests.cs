using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Format;

/// <summary>Ids as messages show them, and the order of positions.</summary>
public class IdTests
{
    [Fact]
    public void Ids_are_shown_as_documents_write_them()
    {
        string shown = new DatabaseId(0x1122, 0xAB).ToString();
        shown.Should().HaveLength(32).And.Contain("1122").And.Contain("00ab");
        new PageNumber(1234567).ToString().Should().Be("1234567");
    }

    [Fact]
    public void A_salt_says_whose_chunk_it_is_of_where_the_database_is_known()
    {
        DatabaseId ours = new(0x1122, 0xAB);
        ours.MayOwn(ours.MakeSalt(7)).Should().BeTrue();
        ours.MayOwn(new DatabaseId(0x1123, 0xAB).MakeSalt(7)).Should().BeFalse();
        default(DatabaseId).MayOwn(ours.MakeSalt(7)).Should().BeTrue("nothing is known of a database without a header");
    }

    [Fact]
    public void Positions_are_ordered_by_chunk_and_then_by_offset()
    {
        JournalPosition[] ordered = [JournalPosition.None, new(1, 4096), new(1, 8192), new(2, 4096), new(10, 0)];
        for (int i = 0; i < ordered.Length; i++)
        {
            for (int j = 0; j < ordered.Length; j++)
            {
                (ordered[i] < ordered[j]).Should().Be(i < j);
                (ordered[i] <= ordered[j]).Should().Be(i <= j);
                (ordered[i] > ordered[j]).Should().Be(i > j);
                (ordered[i] >= ordered[j]).Should().Be(i >= j);
            }
        }
    }
}
