using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Tests.Trees;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

#if CHECKED
using System.Diagnostics;
using FluentAssertions;
using Voron.CrashWriter;
using Voron.Native;
using Xunit;

namespace Voron.Storage.Tests.Guards;

/// <summary>Each guard of the checked build bites; what stands right before it does no harm.</summary>
public sealed unsafe class GuardTests
{
    public static TheoryData<string> Trespasses => [.. Trespass.Names];

    [Theory]
    [MemberData(nameof(Trespasses))]
    public void A_process_that_touches_what_it_must_not_ends(string kind)
    {
        Trespass.Run(kind, beyond: false).Should().Be(0, "its twin is harmless");
        using Process child = Process.Start(CrashProgram.Start("trespass", kind))!;
        string error = child.StandardError.ReadToEnd();
        child.WaitForExit();
        child.ExitCode.Should().NotBe(0);
        error.Should().Contain("AccessViolationException");
    }

    [Fact]
    public void A_slot_that_the_header_does_not_count_is_refused()
    {
        using MemoryPages pages = new(4096);
        pages.Begin();
        Node empty = new(pages.Writer.Allocate(PageKind.Leaf)->View, 4096, new PageNumber(2));
        empty.Slot(0);
        Action beyond = () => empty.Slot(1);
        Action before = () => empty.Slot(-1);
        beyond.Should().Throw<ArgumentOutOfRangeException>();
        before.Should().Throw<ArgumentOutOfRangeException>();
        pages.Rollback();
    }

    [Fact]
    public void Memory_that_is_given_back_twice_is_refused()
    {
        nint address = (nint)SystemMemory.AllocateZeroed(100);
        SystemMemory.Free((void*)address);
        Action again = () => SystemMemory.Free((void*)address);
        again.Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void A_block_is_filled_with_what_is_no_page_when_it_is_rented_and_when_it_comes_back()
    {
        byte[] memory = new byte[4096];
        fixed (byte* start = memory)
        {
            BlockPool pool = new();
            pool.Add(new BlockRegion((nint)start, memory.Length));
            byte* block = pool.TryRent(BlockPool.ClassOf(4096));
            pool.Return(block, BlockPool.ClassOf(4096));
            memory.AsSpan(sizeof(long)).ToArray().Should().AllBeEquivalentTo((byte)0xDD);
        }

        using VersionMemory versions = new(4096);
        versions.EnsureRoom(4096, 0, 1);
        byte* fresh = versions.RentBlock(4096);
        new Span<byte>(fresh, 4096).ToArray().Should().AllBeEquivalentTo((byte)0xCD);
        versions.ReturnBlock(fresh, 4096);
    }

    [Theory]
    [InlineData("files", "1 files, 0 views of files, 0 pieces of native memory, 0 snapshots, 0 bytes of page blocks")]
    [InlineData("views", "0 files, 1 views of files, 0 pieces of native memory, 0 snapshots, 0 bytes of page blocks")]
    [InlineData("regions", "0 files, 0 views of files, 1 pieces of native memory, 0 snapshots, 0 bytes of page blocks")]
    [InlineData("runs", "0 files, 0 views of files, 1 pieces of native memory, 0 snapshots, 0 bytes of page blocks")]
    [InlineData("readers", "0 files, 0 views of files, 0 pieces of native memory, 1 snapshots, 0 bytes of page blocks")]
    [InlineData("writers", "0 files, 0 views of files, 0 pieces of native memory, 1 snapshots, 0 bytes of page blocks")]
    public void What_is_held_is_counted(string kind, string expected)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions
        {
            Engine = new() { Background = false },
        });
        string path = Path.GetTempFileName();
        NativeFile.Open(path, NativeFileOptions.None, out NativeFile? file).Should().Be(NativeResult.Success);
        using NativeMapping mapping = new(file!);
        Held before = Held.Now;
        using (Hold(kind, environment, path, mapping))
        {
            Held.LeftSince(before).Should().Be(expected);
        }

        mapping.Dispose();
        Held.LeftSince(before).Should().BeNull();
        file!.Dispose();
        File.Delete(path);
    }

    [Fact]
    public void A_page_block_that_nobody_gives_back_is_counted()
    {
        Held before = Held.Now;
        using (VersionMemory memory = new(4096))
        {
            memory.EnsureRoom(4096, 0, 1);
            memory.RentBlock(4096);
        }

        Held.LeftSince(before).Should().EndWith(" 0 snapshots, 4096 bytes of page blocks");
        HeldCounts.AddLostBytes(-4096);
    }

    /// <summary>The whole way: the runner reports the test that left something, and only that one.</summary>
    [Fact]
    public void A_test_that_leaves_a_file_open_fails_under_its_own_name()
    {
        ProcessStartInfo start = new("dotnet", [typeof(GuardTests).Assembly.Location, "-noColor", "-class", typeof(LeakTrials).FullName!])
        {
            RedirectStandardOutput = true,
        };
        start.Environment[LeakTrials.Switch] = "1";
        using Process child = Process.Start(start)!;
        string output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        child.ExitCode.Should().NotBe(0);
        output.Should().Contain($"{nameof(LeakTrials.Leaves_a_file_when_it_is_asked_to)} left behind: 1 files, 0 views").And
            .Contain("Total: 2, Errors: 0, Failed: 1");
    }

    private static IDisposable Hold(string kind, StorageEnvironment environment, string path, NativeMapping mapping)
    {
        switch (kind)
        {
            case "files":
                NativeFile.Open(path, NativeFileOptions.None, out NativeFile? file);
                return file!;
            case "views":
                mapping.Map(0, out _);
                return mapping;
            case "regions":
                return AlignedBuffer.Allocate(4096);
            case "runs":
                return new Run();
            case "readers":
                return environment.BeginRead();
            default:
                return environment.BeginWrite();
        }
    }

    private sealed class Run : IDisposable
    {
        private readonly nint _address = (nint)SystemMemory.AllocateZeroed(100_000);

        public void Dispose() => SystemMemory.Free((void*)_address);
    }
}
#endif
