using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Images that stay in a page chunk for a reader's sake rot there: none is written again under a checksum that makes it look sound.
/// </summary>
public sealed class PageJournalRotTests : IDisposable
{
    private const int Keys = 6000;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(60)]
    [InlineData(9000)]
    public void A_rotten_image_is_refused_when_it_is_carried_on(int valueBytes)
    {
        int keys = Keys * 60 / valueBytes;
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        });
        Sample.Put(environment, 0, keys, valueBytes);
        environment.Checkpoint();
        using ReadTransaction reader = environment.BeginRead();
        Sample.Put(environment, 0, keys, valueBytes);
        environment.Checkpoint();
        Rot();
        Action go = () =>
        {
            for (int part = 0; part < 20; part++)
            {
                Sample.Put(environment, keys * part / 20, keys * (part + 1) / 20, valueBytes);
                environment.Checkpoint();
            }
        };
        go.Should().Throw<StorageCorruptException>().WithMessage("*page journal*");
        reader.OpenTree(Sample.Tree).Get(Sample.Key(0)).Should().Equal(Sample.Value(valueBytes, 0), "readers look at the data file");
        reader.Dispose();
        environment.Database.Abandon();
    }

    /// <summary>Changes a byte near the end of each block, which is within a value.</summary>
    private void Rot()
    {
        foreach (string path in Directory.GetFiles(Sample.Journal(_folder), "*.pages"))
        {
            using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            byte[] bytes = new byte[file.Length];
            file.ReadExactly(bytes);
            for (int at = (8 << 10) - 30; at < bytes.Length; at += 4096)
            {
                bytes[at] ^= 1;
            }

            file.Position = 0;
            file.Write(bytes);
        }
    }
}
