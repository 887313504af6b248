using FluentAssertions;
using Voron.Bench.Io;
using Xunit;

namespace Voron.Bench.Tests;

public class IoTraceTests
{
    private static readonly string[] Committer =
    [
        """1.0 openat(AT_FDCWD</tmp>, "log", O_RDWR|O_CREAT, 0644) = 5</tmp/log>""",
        """1.1 write(5</tmp/log>, "before"..., 100) = 100""",
        """1.2 write(1<pipe:[7]>, "io begins\n", 10) = 10""",
        """1.3 pwrite64(6</tmp/data>, "\1\2"..., 4096, 8192) = 4096""",
        """1.4 pwrite64(6</tmp/data>, "\1, 5"..., 4096, 12288) = 4096""",
        """1.6 write(5</tmp/log>, "x"..., 50) = 50""",
        """1.7 fdatasync(5</tmp/log>)              = 0""",
        """1.8 io_submit(0x7f, 1, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=6</tmp/data>, """
            + """aio_buf="a"..., aio_nbytes=12288, aio_offset=16384}]) = 1""",
        """1.81 write(5</tmp/log>, "x"..., 50) = -1 ENOSPC (No space left on device)""",
        """1.9 write(1<pipe:[7]>, "io ends\n", 8) = 8""",
        """2.0 pwrite64(6</tmp/data>, "after"..., 4096, 0) = 4096""",
    ];

    private static readonly string[] Background = ["1.5 pwrite64(6</tmp/data>, \"b\"..., 8192, 65536) = 8192", "+++ exited with 0 +++"];

    [Fact]
    public void Calls_between_the_marks_are_read_in_the_order_of_their_times()
    {
        List<IoCall> calls = IoTrace.Parse([Background, Committer]);
        calls.Select(call => (call.Kind, call.Path, call.Offset, call.Bytes, call.Thread == 0)).Should().Equal(
            (IoKind.Write, "/tmp/data", 8192, 4096, true),
            (IoKind.Write, "/tmp/data", 12288, 4096, true),
            (IoKind.Write, "/tmp/data", 65536, 8192, false),
            (IoKind.Write, "/tmp/log", 100, 50, true),
            (IoKind.Sync, "/tmp/log", 0, 0, true),
            (IoKind.Write, "/tmp/data", 16384, 12288, true));
    }

    [Fact]
    public void A_write_that_goes_on_where_the_last_ended_is_no_seek()
    {
        List<IoCall> calls = IoTrace.Parse([Committer]);
        IoTrace.CountSeeks(calls).Should().Be(2, "the log after the data, and the data after the log");
        IoTrace.CountSeeks([]).Should().Be(0);
    }

    [Fact]
    public void Commits_that_do_not_wait_for_the_device_are_counted()
    {
        string[] lines =
        [
            """0.1 openat(AT_FDCWD</tmp>, "meta", O_RDWR|O_DSYNC|O_CLOEXEC) = 5</tmp/meta>""",
            """0.2 openat(AT_FDCWD</tmp>, "data", O_RDWR|O_CLOEXEC) = 6</tmp/data>""",
            """1.0 write(1<pipe:[7]>, "io begins\n", 10) = 10""",
            """1.1 pwrite64(5</tmp/meta>, "a"..., 4096, 0) = 4096""",
            """1.2 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.3 pwrite64(6</tmp/data>, "a"..., 4096, 0) = 4096""",
            """1.4 sync_file_range(6</tmp/data>, 0, 4096, SYNC_FILE_RANGE_WRITE) = 0""",
            """1.41 msync(0x7f0000000000, 4096, MS_ASYNC) = 0""",
            """1.5 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.6 pwritev2(6</tmp/data>, [{iov_base="a"..., iov_len=4096}], 1, 4096, RWF_DSYNC) = 4096""",
            """1.7 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.71 msync(0x7f0000000000, 4096, MS_SYNC) = 0""",
            """1.72 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.73 io_submit(0x7f, 1, [{aio_data=0, aio_rw_flags=RWF_DSYNC, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=6</tmp/data>, """
                + """aio_buf="a"..., aio_nbytes=4096, aio_offset=0}]) = 1""",
            """1.74 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.8 close(5</tmp/meta>) = 0""",
            """1.81 openat(AT_FDCWD</tmp>, "meta", O_RDWR|O_CLOEXEC) = 5</tmp/meta>""",
            """1.82 pwrite64(5</tmp/meta>, "a"..., 4096, 0) = 4096""",
            """1.83 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.84 fdatasync(6</tmp/data>) = 0""",
            """1.85 pwrite64(6</tmp/data>, "a"..., 4096, 0) = 4096""",
            """1.86 write(1<pipe:[7]>, "io commit\n", 10) = 10""",
            """1.9 write(1<pipe:[7]>, "io ends\n", 8) = 8""",
        ];
        CommitWaits waits = CommitWaits.Of(IoTrace.Parse([lines]));
        waits.Should().Be(new CommitWaits(Commits: 7, WithoutWait: 3, Syncs: 2, ThroughWrites: 3, Writes: 6));
        waits.Refusal.Should().Be("refused: 3 of 7 commits do not wait for the device");
    }

    [Fact]
    public void Without_the_marks_there_is_nothing() => IoTrace.Parse([Background]).Should().BeEmpty();

    [Fact]
    public void A_file_position_follows_lseek()
    {
        string[] lines =
        [
            """1.0 write(1<pipe:[7]>, "io begins\n", 10) = 10""",
            """1.1 lseek(5</tmp/a>, 40960, SEEK_SET) = 40960""",
            """1.2 writev(5</tmp/a>, [{iov_base="a"..., iov_len=4096}, {iov_base="b"..., iov_len=4096}], 2) = 8192""",
            """1.3 pwritev(5</tmp/a>, [{iov_base="a"..., iov_len=4096}], 1, 49152) = 4096""",
            """1.35 pwritev2(5</tmp/a>, [{iov_base="a"..., iov_len=4096}], 1, 53248, RWF_DSYNC) = 4096""",
            """1.4 write(1<pipe:[7]>, "io ends\n", 8) = 8""",
        ];
        List<IoCall> calls = IoTrace.Parse([lines]);
        calls.Select(call => (call.Offset, call.Bytes)).Should().Equal((40960, 8192), (49152, 4096), (53248, 4096));
        IoTrace.CountSeeks(calls).Should().Be(0);
    }
}
