using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Threads;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Versions;

/// <summary>Memory for page versions is taken under load and returned after it: counted in bytes, not seconds.</summary>
public class IdleMemoryTests
{
    private const int PageBytes = 8192;
    private const int KeptBytes = 4 << 20;
    private const int Rows = 60_000;
    private const int ValueBytes = 400;
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(2);

    [Fact]
    public unsafe void Regions_without_a_block_in_use_leave_and_the_others_keep_their_blocks()
    {
        const int Blocks = 4_000;
        const int Step = 1_999;
        Gate gate = new();
        using VersionMemory memory = new(PageBytes);
        byte*[] blocks = new byte*[Blocks];
        for (int i = 0; i < Blocks; i++)
        {
            blocks[i] = memory.RentBlock(i % 3 == 0 ? PageBytes : 700);
            *(int*)(blocks[i] + 8) = i;
        }

        long most = memory.IdleBytes + memory.UsedBytes;
        for (int i = 0; i < Blocks; i++)
        {
            if (i % Step != 0)
            {
                memory.ReturnBlock(blocks[i], i % 3 == 0 ? PageBytes : 700);
            }
        }

        memory.IdleBytes.Should().BeGreaterThan(most * 9 / 10);
        memory.GiveBack(gate, keptBytes: 0);
        memory.IdleBytes.Should().BeLessThan(4 << 20, "three blocks are in use, each in a region of a mebibyte");
        for (int i = 0; i < Blocks; i += Step)
        {
            (*(int*)(blocks[i] + 8)).Should().Be(i);
            memory.ReturnBlock(blocks[i], i % 3 == 0 ? PageBytes : 700);
        }

        memory.GiveBack(gate, keptBytes: 0);
        memory.IdleBytes.Should().Be(0);
        byte* again = memory.RentBlock(PageBytes);
        new Span<byte>(again, PageBytes).Fill(1);
        memory.ReturnBlock(again, PageBytes);
    }

    [Fact]
    public unsafe void Blocks_that_stay_are_rented_again_before_new_memory_is_taken()
    {
        Gate gate = new();
        using VersionMemory memory = new(PageBytes);
        byte* kept = memory.RentBlock(PageBytes);
        memory.ReturnBlock(memory.RentBlock(PageBytes), PageBytes);
        memory.GiveBack(gate, keptBytes: 0);
        long all = memory.IdleBytes + memory.UsedBytes;
        byte* again = memory.RentBlock(PageBytes);
        (memory.IdleBytes + memory.UsedBytes).Should().Be(all);
        memory.ReturnBlock(again, PageBytes);
        memory.ReturnBlock(kept, PageBytes);
    }

    [Fact]
    public void After_load_the_flusher_returns_the_memory()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        Sample.Put(environment, 0, Rows, ValueBytes);
        HeldBytes(environment).Should().BeGreaterThan(2 * KeptBytes, "nothing is in the data file yet");
        SpinWait.SpinUntil(() => HeldBytes(environment) <= KeptBytes, Long).Should().BeTrue();
        Sample.Expect(environment, Rows, ValueBytes);
        Sample.Put(environment, Rows, Rows + 10, ValueBytes);
        Sample.Expect(environment, Rows + 10, ValueBytes);
    }

    [Fact]
    public void What_a_reader_kept_is_returned_when_it_has_ended()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        Sample.Put(environment, 0, Rows, ValueBytes);
        using (environment.BeginRead())
        {
            environment.Checkpoint();
            HeldBytes(environment).Should().BeGreaterThan(2 * KeptBytes, "the reader may have found the versions in memory");
        }

        SpinWait.SpinUntil(() => HeldBytes(environment) <= KeptBytes, Long).Should().BeTrue();
        Sample.Expect(environment, Rows, ValueBytes);
    }

    /// <summary>
    /// Two callers once returned memory at the same time after their checkpoints, and the stress test read memory that was gone (seed
    /// 735585601). Also nothing waits for a caller's thread before the memory goes with the environment.
    /// </summary>
    [Fact]
    public void A_checkpoint_on_the_thread_of_a_caller_returns_nothing()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(
            folder.Path, new StorageOptions { Engine = new() { Background = false } });
        Sample.Put(environment, 0, Rows, ValueBytes);
        long held = HeldBytes(environment);
        held.Should().BeGreaterThan(2 * KeptBytes);
        Parallel.For(0, 4, _ => environment.Checkpoint());
        HeldBytes(environment).Should().Be(held);
    }

    [Fact]
    public void A_checkpoint_beside_as_many_commits_as_it_covers_returns_nothing()
    {
        Engine.IdleMemory.IsLoadOver(coveredBytes: 1600, writtenMeanwhileBytes: 100).Should().BeTrue();
        Engine.IdleMemory.IsLoadOver(coveredBytes: 1600, writtenMeanwhileBytes: 101).Should().BeFalse();
    }

    private static long HeldBytes(StorageEnvironment environment) =>
        environment.Database.Parts.Versions.Memory.IdleBytes + environment.Database.Parts.Versions.Memory.UsedBytes;
}
