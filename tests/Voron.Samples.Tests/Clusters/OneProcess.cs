namespace Voron.Samples.Tests.Clusters;

/// <summary>A process of a cluster, as its file names it.</summary>
internal sealed record OneProcess(string Name, string Url, int Pid, string[] Start);
