using FluentAssertions;
using Voron.Native;
using Voron.Native.Unix;
using Voron.Native.Windows;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>What the codes of each system mean to the engine.</summary>
public sealed class ErrorMappingTests
{
    [Theory]
    [InlineData(Errno.NOENT, (int)IoErrorKind.NotFound)]
    [InlineData(Errno.EXIST, (int)IoErrorKind.AlreadyExists)]
    [InlineData(Errno.ACCES, (int)IoErrorKind.AccessDenied)]
    [InlineData(Errno.PERM, (int)IoErrorKind.AccessDenied)]
    [InlineData(Errno.ROFS, (int)IoErrorKind.ReadOnlyMedia)]
    [InlineData(Errno.NOTDIR, (int)IoErrorKind.NotADirectory)]
    [InlineData(Errno.ISDIR, (int)IoErrorKind.IsADirectory)]
    [InlineData(Errno.NAMETOOLONG, (int)IoErrorKind.InvalidPath)]
    [InlineData(Errno.LOOP, (int)IoErrorKind.InvalidPath)]
    [InlineData(Errno.NOSPC, (int)IoErrorKind.DiskFull)]
    [InlineData(Errno.DQUOT, (int)IoErrorKind.DiskFull)]
    [InlineData(Errno.FBIG, (int)IoErrorKind.DiskFull)]
    [InlineData(Errno.OPNOTSUPP, (int)IoErrorKind.NotSupported)]
    [InlineData(Errno.NOMEM, (int)IoErrorKind.OutOfMemory)]
    [InlineData(Errno.MFILE, (int)IoErrorKind.OutOfMemory)]
    [InlineData(Errno.NFILE, (int)IoErrorKind.OutOfMemory)]
    [InlineData(Errno.IO, (int)IoErrorKind.Device)]
    [InlineData(9999, (int)IoErrorKind.Device)]
    public void Codes_of_Unix_become_kinds(int code, int kind)
    {
        UnixErrorMapping.OfTransfer(new NativeResult(code)).Should().Be(new IoError((IoErrorKind)kind, code));
        UnixErrorMapping.OfPath(new NativeResult(code)).Should().Be(new IoError((IoErrorKind)kind, code));
    }

    [Fact]
    public void One_code_of_Unix_means_different_things_to_different_calls()
    {
        UnixErrorMapping.OfPath(new NativeResult(Errno.INVAL)).Kind.Should().Be(IoErrorKind.InvalidPath);
        UnixErrorMapping.OfTransfer(new NativeResult(Errno.INVAL)).Kind.Should().Be(IoErrorKind.Device);
        UnixErrorMapping.OfLock(new NativeResult(Errno.INVAL)).Kind.Should().Be(IoErrorKind.NotSupported);
        UnixErrorMapping.OfLock(new NativeResult(Errno.AGAIN)).Kind.Should().Be(IoErrorKind.Locked);
        UnixErrorMapping.OfLock(new NativeResult(Errno.ACCES)).Kind.Should().Be(IoErrorKind.Locked);
        UnixErrorMapping.OfLock(NativeResult.Success).Should().Be(IoError.Success);
    }

    [Theory]
    [InlineData(WindowsError.FileNotFound, (int)IoErrorKind.NotFound)]
    [InlineData(WindowsError.PathNotFound, (int)IoErrorKind.NotFound)]
    [InlineData(WindowsError.AlreadyExists, (int)IoErrorKind.AlreadyExists)]
    [InlineData(WindowsError.AccessDenied, (int)IoErrorKind.AccessDenied)]
    [InlineData(WindowsError.WriteProtect, (int)IoErrorKind.ReadOnlyMedia)]
    [InlineData(WindowsError.NotADirectory, (int)IoErrorKind.NotADirectory)]
    [InlineData(WindowsError.IsADirectory, (int)IoErrorKind.IsADirectory)]
    [InlineData(WindowsError.InvalidName, (int)IoErrorKind.InvalidPath)]
    [InlineData(WindowsError.NameTooLong, (int)IoErrorKind.InvalidPath)]
    [InlineData(WindowsError.CannotResolveFileName, (int)IoErrorKind.InvalidPath)]
    [InlineData(WindowsError.DiskFull, (int)IoErrorKind.DiskFull)]
    [InlineData(WindowsError.HandleDiskFull, (int)IoErrorKind.DiskFull)]
    [InlineData(WindowsError.DiskQuotaExceeded, (int)IoErrorKind.DiskFull)]
    [InlineData(WindowsError.SharingViolation, (int)IoErrorKind.Locked)]
    [InlineData(WindowsError.LockViolation, (int)IoErrorKind.Locked)]
    [InlineData(WindowsError.UserMappedFile, (int)IoErrorKind.NotSupported)]
    [InlineData(WindowsError.NotEnoughMemory, (int)IoErrorKind.OutOfMemory)]
    [InlineData(WindowsError.CommitmentLimit, (int)IoErrorKind.OutOfMemory)]
    [InlineData(WindowsError.IoDevice, (int)IoErrorKind.Device)]
    [InlineData(WindowsError.HandleEndOfFile, (int)IoErrorKind.Device)]
    [InlineData(9999, (int)IoErrorKind.Device)]
    public void Codes_of_Windows_become_kinds(int code, int kind)
    {
        WindowsErrorMapping.OfTransfer(new NativeResult(code)).Should().Be(new IoError((IoErrorKind)kind, code));
        WindowsErrorMapping.OfPath(new NativeResult(code)).Should().Be(new IoError((IoErrorKind)kind, code));
    }

    [Fact]
    public void One_code_of_Windows_means_different_things_to_different_calls()
    {
        WindowsErrorMapping.OfPath(new NativeResult(WindowsError.InvalidParameter)).Kind.Should().Be(IoErrorKind.InvalidPath);
        WindowsErrorMapping.OfTransfer(new NativeResult(WindowsError.InvalidParameter)).Kind.Should().Be(IoErrorKind.Device);
        WindowsErrorMapping.OfLock(new NativeResult(WindowsError.InvalidParameter)).Kind.Should().Be(IoErrorKind.NotSupported);
        WindowsErrorMapping.OfLock(new NativeResult(WindowsError.LockViolation)).Kind.Should().Be(IoErrorKind.Locked);
        WindowsErrorMapping.OfLock(NativeResult.Success).Should().Be(IoError.Success);
    }
}
