using FluentAssertions;
using Voron.Storage.Replication.Core;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>The names in a claim become those in the position file, whose slots have room for the longest.</summary>
public sealed class EpochClaimTests
{
    private static readonly EpochClaim Claim = new(new Guid(1, 2, 3, [4, 5, 6, 7, 8, 9, 10, 11]), Guid.Empty, 5, 6, "nöde", "http://node");

    [Fact]
    public void A_claim_is_read_as_it_was_written() => EpochClaim.Read(1, Claim.ToBytes()).Should().Be(Claim);

    [Fact]
    public void Names_that_are_no_text_or_of_wrong_lengths_are_damage()
    {
        byte[] claim = Claim.ToBytes();
        for (int cut = 0; cut < claim.Length; cut++)
        {
            Refuses(claim[..cut]);
        }

        byte[] noText = [.. claim];
        noText[^1] = 0xff;
        Refuses(noText);
        noText = [.. claim];
        noText[^2] = 0xc3;
        Refuses(noText);
    }

    private static void Refuses(byte[] claim)
    {
        Action read = () => EpochClaim.Read(7, claim);
        read.Should().Throw<ReplicaStoppedException>().WithMessage("*position 7*").Which.Fault.Should().Be(ReplicaFault.LogDamaged);
    }
}
