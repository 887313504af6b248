namespace Voron.Samples.Cluster;

/// <summary>A process of the cluster.</summary>
/// <param name="Name">Its name in the cluster.</param>
/// <param name="Url">Where it answers.</param>
/// <param name="Pid">Its number when the cluster was started; 0 before.</param>
/// <param name="Start">The program and its arguments, from any folder.</param>
internal sealed record Running(string Name, string Url, int Pid, string[] Start);
