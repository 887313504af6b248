using FluentAssertions;
using Voron.Bench.Peers;
using Xunit;

namespace Voron.Bench.Tests;

/// <summary>
/// Every store keeps what it is given behind the same door. A peer whose library is not on the machine has nothing to show.
/// </summary>
public sealed class StoreTests : IDisposable
{
    private const int Items = 500;

    private readonly string _folder = Directory.CreateTempSubdirectory("voron-bench-tests-").FullName;

    private static IEnumerable<StoreKind> Kinds =>
        StoreKinds.All.Append(StoreKinds.OursAsync).Append(StoreKinds.LmdbWithoutReadAhead).Where(static kind => kind.InstallLine is null);

    public static TheoryData<string, bool> Names
    {
        get
        {
            TheoryData<string, bool> names = [];
            foreach (StoreKind kind in Kinds)
            {
                names.Add(kind.Name, false);
                if (kind.Default is not null)
                {
                    names.Add(kind.Name, true);
                }
            }

            return names;
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Names))]
    public void What_is_put_is_there_after_reopening_and_what_is_deleted_is_not(string name, bool isAsItComes)
    {
        StoreKind kind = Kinds.Single(kind => kind.Name == name);
        Func<string, IStore> open = isAsItComes ? kind.OpenAsItComes : kind.Open;
        DataSet data = new(Items, seed: 5);
        using (IStore store = open(Path.Combine(_folder, "db")))
        {
            using IStoreWriter writer = store.OpenWriter();
            for (int first = 0; first < Items; first += 100)
            {
                writer.Begin();
                for (int item = first; item < first + 100; item++)
                {
                    writer.Put(data.Key(KeyOrder.Random, item), data.Value(item));
                }

                writer.Commit();
            }

            writer.Begin();
            writer.Delete(data.Key(KeyOrder.Random, 7));
            writer.Put(data.Key(KeyOrder.Random, 8), data.Value(9));
            writer.Commit();
            writer.Finish();
        }

        using IStore reopened = open(Path.Combine(_folder, "db"));
        reopened.Scan().Should().Be(new ScanResult(Items - 1, (Items - 1) * (DataSet.KeyBytes + DataSet.ValueBytes)));
        Questions all = new(data, KeyOrder.Random, [.. Enumerable.Range(0, Items)], item => item == 8 ? 9 : item);
        reopened.Get(all).Should().BeInRange(Items - 1, Items - 1);
        reopened.Match(all).Should().Be(Items - 1);
        if (kind.IsOrdered)
        {
            reopened.Seek(all).Should().Be(Items - 1, "the deleted key has a neighbour in its place, which does not count");
        }
    }

    [Fact]
    public void A_missing_library_is_an_install_line_and_no_failure()
    {
        StoreKind missing = StoreKinds.Lmdb with { Name = "nothing" };
        StoreKind nowhere = new(
            "nothing", string.Empty, StoreOrigin.Debian("libnothing1", "libnothing.so.1"), false,
            static _ => throw new InvalidOperationException());
        nowhere.InstallLine.Should().Be("apt-get install libnothing1");
        missing.IsOurs.Should().BeFalse();
        StoreKinds.Ours.InstallLine.Should().BeNull();
    }

    [Fact]
    public void Every_store_tells_its_version()
    {
        Kinds.Should().OnlyContain(kind => kind.Version.Any(char.IsAsciiDigit));
        Kinds.Single(static kind => kind.Name == StoreKinds.RocksPackageName).Version.Should().MatchRegex(@"^NuGet RocksDB \d+\.\d+");
    }
}
