using System.Globalization;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Tier 1: what happens to files at rest. No checksum is made true afterwards. Each damage follows from one number and says what it did.
/// </summary>
internal sealed class FuzzDamage(FuzzSeedImage seed, FuzzImage image, SimRandom random)
{
    private const int SectorBytes = 512;

    internal FuzzTrust Trust { get; private set; }

    /// <summary>A file or a header slot of another database, sound in itself, was put in.</summary>
    internal bool IsOfStranger { get; private set; }

    private string JournalFile => Pick(FilesOf(static path => FuzzLayout.KindOf(path) is not null));

    /// <summary>Changes the image; gives what was done in words.</summary>
    internal string Apply() => random.Below(20) switch
    {
        0 or 1 or 2 or 3 => FlipBits(),
        4 or 5 or 6 => OverwriteRun(),
        7 or 8 => ZeroSectors(),
        9 => CopyBlock(image, swaps: true),
        10 => CopyBlock(image, swaps: false),
        11 => CopyFromStranger(),
        12 => PutBackSector(),
        13 => Resize(),
        14 => RemoveOrRename(),
        15 => MixFiles(),
        16 => PutBackPages(),
        17 => DamageSlots(),
        18 => ZeroRange(),
        _ => AddFile(),
    };

    private string FlipBits()
    {
        (string path, long from, long bytes) = Target();
        byte[] file = image.Own(path);
        int count = random.Between(1, 4);
        List<long> places = [];
        for (int i = 0; i < count && bytes > 0; i++)
        {
            long at = from + (long)(random.Next() % (ulong)bytes);
            file[at] ^= (byte)(1 << random.Below(8));
            places.Add(at);
        }

        return $"bits of {path} flipped at {string.Join(", ", places)}";
    }

    private string OverwriteRun()
    {
        (string path, long from, long bytes) = Target();
        byte[] file = image.Own(path);
        long at = from + (bytes == 0 ? 0 : (long)(random.Next() % (ulong)bytes));
        int length = (int)Math.Min(random.Between(1, random.OneIn(3) ? 9000 : 64), file.Length - at);
        Span<byte> run = file.AsSpan((int)at, length);
        switch (random.Below(3))
        {
            case 0:
                run.Fill(0xFF);
                break;
            case 1:
                run.Clear();
                break;
            default:
                random.Fill(run);
                break;
        }

        return $"{length} bytes of {path} overwritten at {at}";
    }

    private string ZeroSectors()
    {
        (string path, long from, long _) = Target();
        byte[] file = image.Own(path);
        int unit = random.OneIn(2) ? SectorBytes : FormatConstants.BlockBytes;
        long at = from / unit * unit;
        int length = (int)Math.Min(unit * random.Between(1, 4), file.Length - at);
        file.AsSpan((int)at, length).Clear();
        return $"{length} bytes of {path} zeroed at {at}";
    }

    /// <summary>To the file's end: all later records of a chunk, or pages of a file.</summary>
    private string ZeroRange()
    {
        (string path, long from, long _) = Target();
        image.Own(path).AsSpan((int)from).Clear();
        return $"{path} zeroed from {from} on";
    }

    private string CopyBlock(FuzzImage from, bool swaps)
    {
        string path = Pick(FilesOf(static _ => true));
        string source = swaps || random.OneIn(3) ? path : Pick(FilesOf(from.Files.ContainsKey));
        int unit = path == FuzzSeedImage.DataFile ? seed.PageBytes : random.OneIn(2) ? SectorBytes : FormatConstants.BlockBytes;
        byte[] target = image.Own(path);
        byte[] origin = from[source] is { } there ? [.. there] : [];
        if (target.Length < unit || origin.Length < unit)
        {
            return $"nothing of {path}";
        }

        int to = random.Below(target.Length / unit) * unit;
        int at = random.Below(origin.Length / unit) * unit;
        byte[] old = [.. target.AsSpan(to, unit)];
        origin.AsSpan(at, unit).CopyTo(target.AsSpan(to));
        if (swaps)
        {
            old.CopyTo(target.AsSpan(at));
        }

        return $"{unit} bytes of {source} at {at} {(swaps ? "swapped with" : "copied over")} those of {path} at {to}";
    }

    private string CopyFromStranger()
    {
        FuzzSeedImage stranger = FuzzCorpus.Stranger(seed, random);
        string path = Pick(FilesOf(stranger.Image.Files.ContainsKey));
        switch (random.Below(3))
        {
            case 0:
                IsOfStranger = true;
                image.Put(path, stranger.Image[path]!);
                Distrust(path == FuzzSeedImage.DataFile ? FuzzTrust.Nothing : FuzzTrust.Exact);
                return $"{path} is that of '{stranger.Name}'";
            case 1 when image[FuzzSeedImage.DataFile]?.Length >= 2 * seed.PageBytes:
                IsOfStranger = true;
                int slot = random.Below(2) * seed.PageBytes;
                stranger.Image[FuzzSeedImage.DataFile].AsSpan(slot, HeaderSlot.SizeBytes)
                    .CopyTo(image.Own(FuzzSeedImage.DataFile).AsSpan(slot));
                return $"the header slot at {slot} is that of '{stranger.Name}'";
            default:
                Distrust(FuzzTrust.Nothing);
                return $"of '{stranger.Name}': {CopyBlock(stranger.Image, swaps: false)}";
        }
    }

    /// <summary>One sector of an older state, where it is not all by which the page or slot differs.</summary>
    private string PutBackSector()
    {
        string path = Pick(FilesOf(path => seed.Older[path] is { Length: > 0 }));
        byte[] file = image.Own(path);
        byte[] older = seed.Older[path] ?? file;
        int sectors = Math.Min(file.Length, older.Length) / SectorBytes;
        for (int tries = 0; tries < 64 && sectors > 0; tries++)
        {
            int at = random.Below(sectors) * SectorBytes;
            if (!file.AsSpan(at, SectorBytes).SequenceEqual(older.AsSpan(at, SectorBytes)))
            {
                older.AsSpan(at, SectorBytes).CopyTo(file.AsSpan(at));
                Distrust(FuzzTrust.Mixed);
                return $"an older sector of {path} put back at {at}";
            }
        }

        return $"no sector of {path} differs";
    }

    private string PutBackPages()
    {
        string path = Pick(FilesOf(path => seed.Older[path] is { Length: > 0 }));
        byte[] file = image.Own(path);
        byte[] older = seed.Older[path] ?? file;
        int unit = path == FuzzSeedImage.DataFile ? seed.PageBytes : FormatConstants.BlockBytes;
        int units = Math.Min(file.Length, older.Length) / unit;
        if (units == 0)
        {
            return $"nothing of {path}";
        }

        int first = random.Below(units);
        int length = Math.Min(random.Between(1, 4), units - first) * unit;
        older.AsSpan(first * unit, length).CopyTo(file.AsSpan(first * unit));
        Distrust(FuzzTrust.Mixed);
        return $"{length} older bytes of {path} put back at {first * unit}";
    }

    private string Resize()
    {
        string path = Pick(FilesOf(static _ => true));
        byte[] file = image[path]!;
        int length = random.Below(4) switch
        {
            0 => 0,
            1 => random.Below(file.Length + 1),
            2 => random.Below((file.Length / FormatConstants.BlockBytes) + 1) * FormatConstants.BlockBytes,
            _ => file.Length + random.Between(1, 70_000),
        };
        byte[] resized = new byte[length];
        file.AsSpan(0, Math.Min(length, file.Length)).CopyTo(resized);
        if (length > file.Length && random.OneIn(2))
        {
            random.Fill(resized.AsSpan(file.Length));
        }

        image.Put(path, resized);
        return $"{path} of {file.Length} bytes has {length} now";
    }

    private string RemoveOrRename()
    {
        string path = random.OneIn(8) ? FuzzSeedImage.DataFile : JournalFile;
        byte[] bytes = image[path] ?? [];
        image.Remove(path);
        if (random.OneIn(2) || FuzzLayout.KindOf(path) is not { } kind)
        {
            return $"{path} removed";
        }

        string other = FuzzLayout.PathOf(kind, random.Between(1, 9));
        if (random.OneIn(2) && image[other] is { } its)
        {
            image.Put(path, its);
        }

        image.Put(other, bytes);
        return $"{path} is called {other} now";
    }

    /// <summary>Some files are of the older state, or all of one kind.</summary>
    private string MixFiles()
    {
        Distrust(FuzzTrust.Mixed);
        List<string> put = [];
        bool onlyData = random.OneIn(3);
        foreach (string path in image.Files.Keys.Union(seed.Older.Files.Keys).ToArray())
        {
            if (onlyData ? path == FuzzSeedImage.DataFile : random.OneIn(2))
            {
                put.Add(path);
                if (seed.Older[path] is { } older)
                {
                    image.Put(path, older);
                }
                else
                {
                    image.Remove(path);
                }
            }
        }

        return $"of the older state: {string.Join(", ", put)}";
    }

    private string DamageSlots()
    {
        FuzzRange[] slots = [.. seed.Layout.Ranges.Where(static range => range.Part == FuzzPart.Slot)];
        if (slots.Length == 0 || image[FuzzSeedImage.DataFile] is not { } data)
        {
            return "no slot";
        }

        FuzzRange slot = slots[random.Below(slots.Length)];
        if (slot.Offset + slot.Bytes > data.Length)
        {
            return "no slot";
        }

        Span<byte> bytes = image.Own(FuzzSeedImage.DataFile).AsSpan((int)slot.Offset, slot.Bytes);
        if (random.OneIn(2))
        {
            bytes.Clear();
            return $"the header slot at {slot.Offset} zeroed";
        }

        bytes[random.Below(bytes.Length)] ^= (byte)random.Between(1, 255);
        return $"a byte of the header slot at {slot.Offset} changed";
    }

    private string AddFile()
    {
        string name = random.Below(4) switch
        {
            0 => FuzzLayout.PathOf(random.OneIn(2) ? ChunkKind.Commit : ChunkKind.Pages, random.Between(1, 40)),
            1 => FuzzSeedImage.Journal + "/spare-" + random.Below(9).ToString(CultureInfo.InvariantCulture) + ".chunk",
            2 => FuzzSeedImage.Directory + "/data.voron.new",
            _ => FuzzSeedImage.Journal + "/notes.txt",
        };
        if (image[name] is not null)
        {
            return $"{name} is there";
        }

        byte[] bytes = random.OneIn(2) ? [.. image[Pick(FilesOf(static _ => true))]!] : new byte[random.Below(9000)];
        image.Put(name, bytes);
        return $"a file {name} of {bytes.Length} bytes added";
    }

    private void Distrust(FuzzTrust trust) => Trust = trust > Trust ? trust : Trust;

    /// <summary>A range that means something, mostly; else any of a file.</summary>
    private (string Path, long From, long Bytes) Target()
    {
        if (random.OneIn(4) || seed.Layout.Ranges.Count == 0)
        {
            string path = Pick(FilesOf(static _ => true));
            int from = random.Below(image[path]!.Length + 1);
            return (path, from, image[path]!.Length - from);
        }

        // The kind of part first, or pages would crowd out all else.
        FuzzPart part = (FuzzPart)random.Below((int)FuzzPart.SetImage + 1);
        FuzzRange[] ranges = [.. seed.Layout.Ranges.Where(range => range.Part == part)];
        FuzzRange chosen = ranges.Length == 0
            ? seed.Layout.Ranges[random.Below(seed.Layout.Ranges.Count)]
            : ranges[random.Below(ranges.Length)];
        long length = image[chosen.Path]?.Length ?? -1;
        return chosen.Offset < length ? (chosen.Path, chosen.Offset, Math.Min(chosen.Bytes, length - chosen.Offset)) : Any();
    }

    private (string Path, long From, long Bytes) Any()
    {
        string path = Pick(FilesOf(static _ => true));
        return (path, 0, image[path]!.Length);
    }

    private string[] FilesOf(Func<string, bool> wanted)
    {
        string[] found = [.. image.Files.Keys.Where(wanted)];
        return found.Length > 0 ? found : [.. image.Files.Keys];
    }

    private string Pick(string[] paths)
    {
        if (paths.Length == 0)
        {
            image.Put(FuzzSeedImage.DataFile, []);
            return FuzzSeedImage.DataFile;
        }

        string path = paths[random.Below(paths.Length)];
        return path;
    }
}
