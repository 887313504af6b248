namespace Voron.Storage.Replication.Etcd;

/// <summary>The servers, as they are set, cannot carry the entries of this log. Waiting does not help.</summary>
/// <param name="message">What to set.</param>
/// <param name="inner">What the servers answered.</param>
public sealed class EtcdSettingsException(string message, Exception? inner = null) : Exception(message, inner);
