using FluentAssertions;
using Voron.Storage.Recovery;
using Xunit;

namespace Voron.Storage.Tests.Recovery;

public class ReplayTableTests
{
    [Theory]
    [InlineData(false, false, false, false, ReplayVerdict.TornTail)]
    [InlineData(false, false, false, true, ReplayVerdict.LostMiddle)]
    [InlineData(false, false, true, false, ReplayVerdict.LostChunk)]
    [InlineData(false, false, true, true, ReplayVerdict.LostChunk)]
    [InlineData(false, true, false, false, ReplayVerdict.LaterChunk)]
    [InlineData(false, true, false, true, ReplayVerdict.LaterChunk)]
    [InlineData(false, true, true, false, ReplayVerdict.LaterChunk)]
    [InlineData(false, true, true, true, ReplayVerdict.LaterChunk)]
    [InlineData(true, false, false, false, ReplayVerdict.NextRecord)]
    [InlineData(true, false, false, true, ReplayVerdict.NextRecord)]
    [InlineData(true, false, true, false, ReplayVerdict.NextRecord)]
    [InlineData(true, false, true, true, ReplayVerdict.NextRecord)]
    [InlineData(true, true, false, false, ReplayVerdict.NextRecord)]
    [InlineData(true, true, false, true, ReplayVerdict.NextRecord)]
    [InlineData(true, true, true, false, ReplayVerdict.NextRecord)]
    [InlineData(true, true, true, true, ReplayVerdict.NextRecord)]
    internal void Every_combination_has_its_verdict(bool next, bool later, bool chunkLost, bool proof, ReplayVerdict verdict) =>
        ReplayTable.Judge(next, later, chunkLost, proof).Should().Be(verdict);
}
