namespace Voron.Storage.Orleans;

/// <summary>Settings of the reminder table.</summary>
public sealed class VoronReminderOptions
{
    /// <summary>The tree that is used if no other is named.</summary>
    public const string DefaultTreeName = "reminders";

    /// <summary>The key of the environment that holds the reminders; null (the default) for the one without a key.</summary>
    public string? StorageKey { get; set; }

    /// <summary>The tree of the reminders.</summary>
    public string TreeName { get; set; } = DefaultTreeName;
}
