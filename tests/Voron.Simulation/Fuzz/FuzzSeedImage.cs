using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// A file set that trials damage: how it came about, what it holds, and an older state of the same database. Made by playing a shape on a
/// simulated disk; equal seeds give equal images.
/// </summary>
internal sealed class FuzzSeedImage
{
    internal const string Directory = "/db";
    internal const string DataFile = Directory + "/data.voron";
    internal const string Journal = Directory + "/journal";

    private FuzzSeedImage(FuzzShape shape, int pageBytes, FuzzHistory history, FuzzImage image, FuzzImage older)
    {
        Name = $"{shape.Name} {pageBytes >> 10} KiB";
        PageBytes = pageBytes;
        Kind = shape.Kind;
        FixedKeyBytes = shape.FixedKeyBytes;
        History = history;
        Image = image;
        Older = older;
        LastTransaction = TransactionOf(image);
        Layout = new FuzzLayout(image, pageBytes);
    }

    internal string Name { get; }

    internal int PageBytes { get; }

    /// <summary>The kind of its trees.</summary>
    internal TreeKind Kind { get; }

    /// <summary>Length of the keys of fixed-size trees.</summary>
    internal int FixedKeyBytes { get; }

    internal FuzzHistory History { get; }

    internal FuzzImage Image { get; }

    /// <summary>The same database some transactions before.</summary>
    internal FuzzImage Older { get; }

    /// <summary>What an open of the sound image recovers to.</summary>
    internal long LastTransaction { get; }

    internal FuzzLayout Layout { get; }

    internal static FuzzSeedImage Make(FuzzShape shape, int pageBytes, ulong seed)
    {
        FuzzScript script = new(shape, pageBytes, seed);
        SimRandom random = new(SimRandom.Mix(seed, 3));
        SimDisk disk = new(seed);
        StorageEnvironment environment = script.Open(disk);
        int middle = shape.Transactions * 2 / 3;
        script.Play(0, middle);
        FuzzImage older = FuzzImage.Of(disk.Kill());
        script.Play(middle, Math.Max(0, shape.Transactions - 1));
        SimDisk end = disk;
        switch (shape.End)
        {
            case FuzzEnd.Cut:
                script.EndReaders();
                end = AtSomeCall(disk, random, () => script.Play(shape.Transactions - 1, shape.Transactions), cuts: true);
                break;
            case FuzzEnd.InCheckpoint:
                script.Play(shape.Transactions - 1, shape.Transactions);
                end = AtSomeCall(disk, random, environment.Checkpoint, cuts: false);
                break;
            default:
                script.Play(shape.Transactions - 1, shape.Transactions);
                break;
        }

        script.EndReaders();
        if (shape.End == FuzzEnd.Closed)
        {
            environment.Dispose();
        }
        else
        {
            end = end == disk ? disk.Kill() : end;
            disk.PowerOff();
            environment.Database.Abandon();
        }

        if (shape.End == FuzzEnd.InOpening)
        {
            end = AtSomeCall(end, random, () => script.Open(end).Database.Abandon(), cuts: false);
        }

        return new FuzzSeedImage(shape, pageBytes, script.History, FuzzImage.Of(end), older);
    }

    /// <summary>The disk as it was at some changing call of an action.</summary>
    private static SimDisk AtSomeCall(SimDisk disk, SimRandom random, Action action, bool cuts)
    {
        List<SimSnapshot> moments = [];
        disk.OnCall = (call, phase) =>
        {
            if ((call.Kind & SimCallKind.Changing) != 0 && phase is SimPhase.Before or SimPhase.Inside)
            {
                moments.Add(disk.Capture());
            }
        };
        action();
        disk.OnCall = null;
        if (moments.Count == 0)
        {
            return disk.Kill();
        }

        SimSnapshot moment = moments[random.Below(moments.Count)];
        return cuts ? moment.Cut(CutChoice.Random(random.Next())) : moment.Kill();
    }

    private static long TransactionOf(FuzzImage image)
    {
        FuzzDisk disk = new(image, 1);
        using StorageEnvironment environment = StorageEnvironment.Open(Directory, FuzzScript.OptionsOn(disk, null, readOnly: true));
        return environment.Database.Parts.Versions.Visible.Value;
    }
}
