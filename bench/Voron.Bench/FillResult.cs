namespace Voron.Bench;

/// <summary>What one fill took and cost.</summary>
/// <param name="Seconds">From the first transaction's begin to the last commit's return.</param>
/// <param name="CloseSeconds">Bringing everything to the data file and closing, after that.</param>
/// <param name="P50Microseconds">Half of the transactions took no longer, from begin to the commit's return.</param>
/// <param name="P99Microseconds">99 of 100 transactions took no longer.</param>
/// <param name="BytesPerCommit">Journal bytes written per commit.</param>
/// <param name="WritesPerCommit">Journal write calls per commit.</param>
/// <param name="SyncsPerCommit">Journal sync calls per commit.</param>
internal sealed record FillResult(
    double Seconds,
    double CloseSeconds,
    double P50Microseconds,
    double P99Microseconds,
    double BytesPerCommit,
    double WritesPerCommit,
    double SyncsPerCommit);
