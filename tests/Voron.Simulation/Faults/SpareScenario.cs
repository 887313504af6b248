using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Simulation.Faults;

/// <summary>The data file grows on a full disk, into the room of spare chunks.</summary>
internal static class SpareScenario
{
    /// <summary>Of the chunks that a checkpoint frees all are kept, because others are still in use.</summary>
    internal static void Leave(SiteRig rig)
    {
        rig.Open(softLimitBytes: FormatConstants.MinChunkBytes, keepChangesBytes: 1 << 30);
        for (int i = 0; i < 60; i++)
        {
            rig.Commit(100);
        }

        StorageEnvironment environment = rig.Environment!;
        environment.KeepChangesFromAsync("consumer", environment.GetReport().LastTransactionId - 30).AsTask().GetAwaiter().GetResult();
        rig.Checkpoint();
    }

    internal static void GrowInto(SiteRig rig)
    {
        rig.Commit(300);
        rig.Disk.Faults.Add(
            new SimFault { Calls = SimCallKind.Allocate, Path = "/db/data.voron", Error = IoErrorKind.DiskFull, Times = 2 });
        rig.Checkpoint();
        rig.Close();
    }
}
