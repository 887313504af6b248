using System.Globalization;
using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Damaged and forged file sets. VORON_FUZZ_SETS sets how many (default 3000), VORON_FUZZ the number of one of them.
/// </summary>
[Trait("Lane", "Fuzz")]
public sealed class FuzzTests(ITestOutputHelper output)
{
    internal const string Variable = "VORON_FUZZ";
    private const string CountVariable = "VORON_FUZZ_SETS";
    private const int LeastImages = 60;

    /// <summary>Every way that a set can go is gone by one in so many, at least.</summary>
    private const int LeastShare = 20;

    [Fact]
    public void No_file_set_gives_a_wrong_answer_or_breaks_the_process()
    {
        int count = int.Parse(Environment.GetEnvironmentVariable(CountVariable) ?? "3000", CultureInfo.InvariantCulture);
        FuzzCrew crew = new(1, count);
        crew.Run();
        output.WriteLine(crew.Tally.ToString());
        string.Join("\n\n", crew.Findings.Take(5)).Should().BeEmpty("{0} findings", crew.Findings.Count);
        crew.Tally.Sets.Should().Be(count);
        crew.Tally.Rarest.Should().BeGreaterThanOrEqualTo(count / LeastShare, "it must open, refuse, write and salvage");
    }

    /// <summary>One file set again, in this process; without the variable the first one.</summary>
    [Fact]
    public void A_given_file_set()
    {
        ulong number = ulong.Parse(Environment.GetEnvironmentVariable(Variable) ?? "1", CultureInfo.InvariantCulture);
        output.WriteLine(FuzzSet.Make(number).ToString());
        FuzzWorker.Try(number).Should().BeNull();
    }

    /// <summary>
    /// Sets that were findings: forged numbers of image set heads and placed values, at which sums overflowed, writes
    /// went astray or memory ran out, damage that no check can
    /// tell, of which the lane expected too much, pairs that a salvage took for entries, and a value of
    /// another length than its tree has.
    /// </summary>
    [Theory]
    [InlineData(202049)]
    [InlineData(206007)]
    [InlineData(10742)]
    [InlineData(11806)]
    [InlineData(12408)]
    [InlineData(13416)]
    [InlineData(203326)]
    [InlineData(309972)]
    [InlineData(10508)]
    [InlineData(55066)]
    [InlineData(59372)]
    [InlineData(78253)]
    [InlineData(78981)]
    [InlineData(92130)]
    [InlineData(94291)]
    [InlineData(3460015103517921)]
    [InlineData(51598443420515537)]
    [InlineData(49174435021715799)]
    [InlineData(4450900497607303)]
    [InlineData(80821673309614770)]
    [InlineData(64803451767501324)]
    [InlineData(7400483693202765)]
    [InlineData(57166973169719235)]
    public void What_was_found_once(ulong number) => FuzzWorker.Try(number).Should().BeNull();

    /// <summary>What is damaged is sound before: it opens, is clean, and holds what the history says.</summary>
    [Fact]
    public void The_seed_images_are_sound()
    {
        FuzzCorpus.Count.Should().BeGreaterThanOrEqualTo(LeastImages);
        for (int i = 0; i < FuzzCorpus.Count; i++)
        {
            FuzzSeedImage image = FuzzCorpus.At(i);
            FuzzWorker.TrySound(image).Should().BeNull("of '{0}'", image.Name);
        }
    }

    /// <summary>Or the numbers of links and removals in tables of deferred pages would never be damaged.</summary>
    [Fact]
    public void Some_seed_images_have_links_and_removals_in_their_tables()
    {
        IEnumerable<ImageEntry> entries = Enumerable.Range(0, FuzzCorpus.Count).Select(FuzzCorpus.At).SelectMany(static image =>
            image.Layout.Ranges.Where(static range => range.Part == FuzzPart.SetTable).SelectMany(range =>
                MemoryMarshal.Cast<byte, ImageEntry>(image.Image[range.Path].AsSpan((int)range.Offset, range.Bytes)).ToArray()));
        ImageEntry[] found = [.. entries];
        output.WriteLine($"{found.Count(static entry => entry.IsLink)} links, {found.Count(static entry => entry.IsRemoved)} removals");
        found.Should().Contain(static entry => entry.IsLink).And.Contain(static entry => entry.IsRemoved);
    }
}
