using FluentAssertions;
using Voron.Native;
using Voron.Native.Unix;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>Writes that the device does beside the caller, through the system and through what stands in for it.</summary>
public sealed class WriteInFlightTests : IDisposable
{
    private const int Block = 4096;
    private readonly string _path = Path.Combine(Path.GetTempPath(), "voron-flight-" + Guid.NewGuid().ToString("N"));

    public void Dispose() => File.Delete(_path);

    [Theory]
    [InlineData(NativeFileOptions.None)]
    [InlineData(NativeFileOptions.Direct)]
    [InlineData(NativeFileOptions.Direct | NativeFileOptions.DataSync)]
    public void What_was_started_stands_in_the_file_when_the_wait_is_over(NativeFileOptions options)
    {
        SkipWhereThereIsNone();
        NativeFile.Open(_path, NativeFileOptions.Create | options, out NativeFile? file).Should().Be(NativeResult.Success);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(3 * Block);
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Should().Be(NativeResult.Success);
        using (file)
        using (write)
        {
            for (int round = 0; round < 20; round++)
            {
                buffer.Span.Fill((byte)(round + 1));
                write!.Start(file!, round * 3L * Block, buffer.Span);
                write.Wait().Should().Be(NativeResult.Success);
            }
        }

        byte[] content = File.ReadAllBytes(_path);
        content.Should().HaveCount(60 * Block);
        for (int round = 0; round < 20; round++)
        {
            content.AsSpan(round * 3 * Block, 3 * Block).IndexOfAnyExcept((byte)(round + 1)).Should().Be(-1);
        }
    }

    [Fact]
    public void The_end_of_a_write_shows_before_the_wait()
    {
        SkipWhereThereIsNone();
        NativeFile.Open(_path, NativeFileOptions.Create | NativeFileOptions.Direct | NativeFileOptions.DataSync, out NativeFile? file)
            .Should().Be(NativeResult.Success);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(256 * Block);
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Should().Be(NativeResult.Success);
        using (file)
        using (write)
        {
            bool wasSeenInFlight = false;
            for (int round = 0; round < 20; round++)
            {
                write!.HasEnded.Should().BeTrue("no write is in flight");
                write.Start(file!, 0, buffer.Span);
                wasSeenInFlight |= !write.HasEnded;
                SpinWait.SpinUntil(() => write.HasEnded, TimeSpan.FromMinutes(1)).Should().BeTrue();
                write.Wait().Should().Be(NativeResult.Success);
            }

            wasSeenInFlight.Should().BeTrue("a megabyte takes longer than to ask");
        }
    }

    [Fact]
    public void An_error_is_told_by_the_wait_and_the_next_write_goes_on()
    {
        SkipWhereThereIsNone();
        File.WriteAllBytes(_path, new byte[Block]);
        NativeFile.Open(_path, NativeFileOptions.ReadOnly, out NativeFile? readOnly).Should().Be(NativeResult.Success);
        NativeFile.Open(_path, NativeFileOptions.Direct, out NativeFile? file).Should().Be(NativeResult.Success);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(Block);
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Should().Be(NativeResult.Success);
        using (readOnly)
        using (file)
        using (write)
        {
            write!.Start(readOnly!, 0, buffer.Span);
            write.Wait().Code.Should().Be(Errno.BADF);
            write.Start(file!, 0, buffer.Span);
            write.Wait().Should().Be(NativeResult.Success);
        }
    }

    /// <summary>One queue is kept when it is given back, with nothing in it, and others go.</summary>
    [Fact]
    public void Queues_that_were_given_back_serve_others()
    {
        SkipWhereThereIsNone();
        NativeFile.Open(_path, NativeFileOptions.Create | NativeFileOptions.Direct, out NativeFile? file).Should().Be(NativeResult.Success);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(Block);
        using (file)
        {
            for (int round = 0; round < 5; round++)
            {
                NativeWriteInFlight.Create(out NativeWriteInFlight? one).Should().Be(NativeResult.Success);
                NativeWriteInFlight.Create(out NativeWriteInFlight? other).Should().Be(NativeResult.Success);
                using (one)
                using (other)
                {
                    buffer.Span.Fill((byte)(round + 1));
                    one!.Start(file!, round * 2 * Block, buffer.Span);
                    other!.Start(file!, ((round * 2) + 1) * Block, buffer.Span);
                    (one.IsTaken && other.IsTaken).Should().BeTrue("a queue that was destroyed takes nothing");
                    other.Wait().Should().Be(NativeResult.Success);
                    one.Wait().Should().Be(NativeResult.Success);
                }

                // Twice is once.
                one.Dispose();
            }
        }

        byte[] content = File.ReadAllBytes(_path);
        content.Should().HaveCount(10 * Block);
        for (int round = 0; round < 5; round++)
        {
            content.AsSpan(round * 2 * Block, 2 * Block).IndexOfAnyExcept((byte)(round + 1)).Should().Be(-1);
        }
    }

    [Fact]
    public void One_write_at_a_time_and_each_is_waited_for()
    {
        SkipWhereThereIsNone();
        NativeFile.Open(_path, NativeFileOptions.Create, out NativeFile? file).Should().Be(NativeResult.Success);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(Block);
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Should().Be(NativeResult.Success);
        using (file)
        {
            Action wait = () => write!.Wait();
            wait.Should().Throw<InvalidOperationException>();
            write!.Start(file!, 0, buffer.Span);
            Action start = () => write.Start(file!, 0, buffer.Span);
            start.Should().Throw<InvalidOperationException>();
            write.Wait().Should().Be(NativeResult.Success);
            wait.Should().Throw<InvalidOperationException>();
            write.Dispose();
            start.Should().Throw<ObjectDisposedException>();
        }
    }

    [Fact]
    public void A_file_that_is_disposed_meanwhile_is_closed_after_the_write()
    {
        SkipWhereThereIsNone();
        NativeFile.Open(_path, NativeFileOptions.Create | NativeFileOptions.Direct, out NativeFile? file).Should().Be(NativeResult.Success);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(Block);
        buffer.Span.Fill(9);
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Should().Be(NativeResult.Success);
        using (write)
        {
            write!.Start(file!, 0, buffer.Span);
            file!.Dispose();
            write.Wait().Should().Be(NativeResult.Success);
        }

        File.ReadAllBytes(_path).Should().HaveCount(Block).And.OnlyContain(b => b == 9);
    }

    [Fact]
    public void A_disk_without_it_writes_at_the_start()
    {
        using MemoryDisk disk = new();
        disk.CreateDirectory("/d").Should().Be(IoError.Success);
        disk.OpenFile("/d/f", FileOpening.Create, out IDiskFile? file).Should().Be(IoError.Success);
        using (file)
        using (IWriteInFlight write = ((IDisk)disk).CreateWriteInFlight())
        {
            write.Start(file!, 0, [1, 2, 3]);
            byte[] read = new byte[3];
            file!.Read(0, read, out int bytes).Should().Be(IoError.Success);
            bytes.Should().Be(3);
            read.Should().Equal(1, 2, 3);
            write.Wait().Should().Be(IoError.Success);
        }
    }

    private static void SkipWhereThereIsNone() =>
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux writes beside its caller; elsewhere a write is done when it is started.");
}
