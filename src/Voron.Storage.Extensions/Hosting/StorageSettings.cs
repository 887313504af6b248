namespace Voron.Storage.Extensions.Hosting;

/// <summary>From a host's settings to the engine's.</summary>
internal static class StorageSettings
{
    internal static StorageOptions Of(
        VoronStorageOptions options, TimeProvider? time = null, Action<StorageEvent>? onEvent = null, StorageObserver? observer = null) =>
        new()
        {
            PageSize = options.PageSize,
            CreateIfMissing = options.CreateIfMissing,
            ReadOnly = options.ReadOnly,
            MaxDirtyBytes = options.MaxDirtyBytes,
            JournalSoftLimitBytes = options.JournalSoftLimitBytes,
            JournalHardLimitBytes = options.JournalHardLimitBytes,
            LazyWindow = new LazyWindow(options.LazyTime, options.LazyBytes),
            DisposeTimeout = options.DisposeTimeout,
            ReaderWarningAge = options.ReaderWarningAge,
            TimeProvider = time ?? TimeProvider.System,
            OnEvent = onEvent,
            Observer = observer,
        };
}
