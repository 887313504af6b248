using Microsoft.Extensions.Logging;

namespace Voron.Storage.Extensions.Telemetry;

/// <summary>
/// The log lines of an environment, their levels and numbers. Those of the engine's events are 10 and its kind. An exception goes with
/// errors only: a console prints its stack over many lines, and of what goes on by itself the message says all.
/// </summary>
internal static partial class StorageLog
{
    internal const string Category = "Voron.Storage";

    internal static void Tell(ILogger log, string storage, StorageEvent happened)
    {
        switch (happened.Kind)
        {
            case StorageEventKind.Recovered:
                Recovered(log, storage, happened.Message);
                break;
            case StorageEventKind.CheckpointFailed:
                CheckpointFailed(log, happened.Error, storage, happened.Message);
                break;
            case StorageEventKind.UnbufferedRefused:
                UnbufferedRefused(log, storage, happened.Message);
                break;
            case StorageEventKind.ClosedWithoutCheckpoint:
                ClosedWithoutCheckpoint(log, storage, happened.Message);
                break;
            case StorageEventKind.OldReader:
                OldReader(log, storage, happened.Message);
                break;
            case StorageEventKind.TransactionLeaked:
                TransactionLeaked(log, storage, happened.Message);
                break;
            case StorageEventKind.FileNotRemoved:
                FileNotRemoved(log, storage, happened.Message);
                break;
            case StorageEventKind.DurabilityDoubtful:
                DurabilityDoubtful(log, storage, happened.Message);
                break;
            case StorageEventKind.ChangesDropped:
                ChangesDropped(log, storage, happened.Message);
                break;
            default:
                Other(log, happened.Error, storage, happened.Message);
                break;
        }
    }

    [LoggerMessage(1, LogLevel.Information, "Storage '{Storage}' is closed.")]
    internal static partial void Closed(ILogger log, string storage);

    [LoggerMessage(2, LogLevel.Critical, "Storage '{Storage}' in '{Folder}' could not be opened: {Reason}")]
    internal static partial void OpenFailed(ILogger log, Exception error, string storage, string folder, string reason);

    [LoggerMessage(3, LogLevel.Error, "Storage '{Storage}' could not be closed: {Reason}")]
    internal static partial void CloseFailed(ILogger log, Exception error, string storage, string reason);

    [LoggerMessage(4, LogLevel.Warning, "The cache could not forget what has expired; it tries again at the next turn: {Reason}")]
    internal static partial void SweepFailed(ILogger log, Exception error, string reason);

    [LoggerMessage(5, LogLevel.Debug, "Storage '{Storage}': {Rows} rows of the table '{Table}' had expired and are deleted.")]
    internal static partial void RowsExpired(ILogger log, string storage, string table, long rows);

    [LoggerMessage(
        6, LogLevel.Warning, "Storage '{Storage}': expired rows of the table '{Table}' stay until the next turn tries again: {Reason}")]
    internal static partial void ExpiryRefused(ILogger log, string storage, string table, string reason);

    [LoggerMessage(
        7, LogLevel.Error, "Storage '{Storage}': expired rows of the table '{Table}' stay until the next turn tries again: {Reason}")]
    internal static partial void ExpiryFailed(ILogger log, Exception error, string storage, string table, string reason);

    [LoggerMessage(
        8, LogLevel.Warning, "Storage '{Storage}': the table '{Table}' has no index of expiry, so none of its rows is ever deleted.")]
    internal static partial void NothingExpires(ILogger log, string storage, string table);

    [LoggerMessage(10, LogLevel.Information, "Storage '{Storage}': {Event}")]
    private static partial void Recovered(ILogger log, string storage, string @event);

    [LoggerMessage(11, LogLevel.Error, "Storage '{Storage}': checkpoint failed: {Event}")]
    private static partial void CheckpointFailed(ILogger log, Exception? error, string storage, string @event);

    [LoggerMessage(12, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void UnbufferedRefused(ILogger log, string storage, string @event);

    [LoggerMessage(13, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void ClosedWithoutCheckpoint(ILogger log, string storage, string @event);

    [LoggerMessage(14, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void OldReader(ILogger log, string storage, string @event);

    [LoggerMessage(15, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void TransactionLeaked(ILogger log, string storage, string @event);

    [LoggerMessage(16, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void FileNotRemoved(ILogger log, string storage, string @event);

    [LoggerMessage(17, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void DurabilityDoubtful(ILogger log, string storage, string @event);

    [LoggerMessage(18, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void ChangesDropped(ILogger log, string storage, string @event);

    [LoggerMessage(19, LogLevel.Warning, "Storage '{Storage}': {Event}")]
    private static partial void Other(ILogger log, Exception? error, string storage, string @event);
}
