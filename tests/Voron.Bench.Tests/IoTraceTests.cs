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
