namespace Voron.Storage.Transactions;

/// <summary>Checks the lengths of keys and values before anything changes.</summary>
internal static class EntryRules
{
    internal static void CheckKey(this StorageLimits limits, ReadOnlySpan<byte> key)
    {
        if (key.Length > limits.MaxKeyBytes)
        {
            Throw.KeyTooLong(key.Length, limits.MaxKeyBytes);
        }
    }

    internal static void CheckEntry(this StorageLimits limits, ReadOnlySpan<byte> key, int valueBytes)
    {
        limits.CheckKey(key);
        if (valueBytes > limits.MaxValueBytes)
        {
            Throw.ValueTooLong(valueBytes, limits.MaxValueBytes);
        }
    }
}
