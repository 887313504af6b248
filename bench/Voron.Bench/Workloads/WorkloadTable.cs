namespace Voron.Bench.Workloads;

/// <summary>The workloads that all engines run, reads aside.</summary>
internal static class WorkloadTable
{
    internal const string Headline = "fill rnd sync 10,000 tx";

    /// <summary>All of them, with counts made smaller or larger.</summary>
    internal static IReadOnlyList<Workload> Scaled(Func<int, int, int> scaled)
    {
        int many = scaled(10_000, 10);
        int some = scaled(1_000, 10);
        int few = scaled(300, 4);
        int all = scaled(1_000_000, 1_000);
        int there = scaled(200_000, 2_000);
        return
        [
            new(Headline, WorkStep.Fill, many, 100) { HasAsync = true, IsWhole = true },
            new("fill seq sync 10,000 tx", WorkStep.Fill, many, 100) { Order = KeyOrder.Ascending },
            new("one put per tx", WorkStep.Fill, scaled(3_000, 50), 1) { HasAsync = true },
            new("1,000,000 rnd in one tx", WorkStep.Fill, 1, all),
            new("1,000,000 seq in one tx", WorkStep.Fill, 1, all) { Order = KeyOrder.Ascending },
            new("random GUID, 100 x 100, 100 B", WorkStep.Fill, scaled(100, 10), 100),
            new("random GUID, 100 x 100, 32 B", WorkStep.Fill, scaled(100, 10), 100) { ValueBytes = 32 },
            new("sequential GUID, 100 x 100, 100 B", WorkStep.Fill, scaled(100, 10), 100) { Order = KeyOrder.SequentialId },
            new("sequential GUID, 100 x 100, 32 B", WorkStep.Fill, scaled(100, 10), 100) { Order = KeyOrder.SequentialId, ValueBytes = 32 },
            new("overwrite, 1,000 tx x 100", WorkStep.Overwrite, some, 100) { Prefilled = there },
            new("delete, 1,000 tx x 100", WorkStep.Delete, some, 100) { Prefilled = there },
            new("mixed 75/25, 1,000 tx x 100", WorkStep.Mixed, some, 100) { Prefilled = there },
            new("4 KiB values, 1,000 tx x 10", WorkStep.Fill, some, 10) { ValueBytes = 4 << 10 },
            new("64 KiB values, 300 tx x 4", WorkStep.Fill, few, 4) { ValueBytes = 64 << 10 },
            new("16 writers, one put per tx", WorkStep.Fill, scaled(16_000, 160), 1) { Threads = 16 },
            new("16 writers, 100 puts per tx", WorkStep.Fill, scaled(4_800, 32), 100) { Threads = 16 },
        ];
    }
}
