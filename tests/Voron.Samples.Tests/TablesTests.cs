using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Samples.Tests;

public sealed class TablesTests
{
    private const string Printed = """
        refused: ada@example.org is the email of another of the users
        Ada from Tuesday to Thursday, the newest first:
          2026-03-05 book 4, 23
          2026-03-04 book 3, 22
          2026-03-03 book 2, 21
        2 users, 10 orders
        2 sessions had expired
        0 differences between rows and indexes

        """;

    [Fact]
    public void Rows_are_found_by_their_indexes_and_expire()
    {
        using TemporaryFolder folder = new();
        Sample.Run(Sample.Tables, folder.Path).ReplaceLineEndings("\n").Should().Be(Printed.ReplaceLineEndings("\n"));
        Sample.Run(Sample.Tables, folder.Path).ReplaceLineEndings("\n").Should()
            .Be(Printed.ReplaceLineEndings("\n"), "users and orders were there");
        using StorageEnvironment storage = StorageEnvironment.Open(Path.Combine(folder.Path, "data"));
        storage.Check().IsClean.Should().BeTrue();
        using ReadTransaction read = storage.BeginRead();
        read.OpenTree("users/email").Contains("grace@example.org"u8).Should().BeTrue();
        read.OpenMultiTree("orders/customer").Count.Should().Be(10);
        read.OpenMultiTree("sessions/expiry").Count.Should().Be(2, "one session of each run goes on");
    }
}
