namespace Voron.House.Tests.Rules;

/// <summary>
/// The house: which room a file belongs to, its namespace, and which rooms it may name. To add a room, add its line here and to docs.
/// </summary>
internal static class RoomTable
{
    internal const string Native = "Native";
    internal const string Doors = "doors";

    internal const string StorageFolder = "src/Voron.Storage";
    internal const string NativeFolder = "src/Voron.Native";
    internal const string StorageNamespace = "Voron.Storage";
    internal const string NativeNamespace = "Voron.Native";

    /// <summary>
    /// Files outside Threads and IO that may name Voron.Native, relative to src/Voron.Storage; each with a reason beside it.
    /// </summary>
    internal static readonly IReadOnlyList<string> NativeUsers = [];

    /// <summary>
    /// Room → the rooms it may name besides itself. Written out, because "above" has branches: Journal and the tree side do not know each
    /// other.
    /// </summary>
    private static readonly Dictionary<string, string[]> MayName = new()
    {
        [Native] = [],
        ["Format"] = [],
        ["Contract"] = [],
        ["Threads"] = ["Format", "Contract", Native],
        ["IO"] = ["Format", "Contract", "Threads", Native],
        ["Versions"] = ["Format", "Contract", "Threads", "IO"],
        ["Pages"] = ["Format", "Contract", "Threads", "IO", "Versions"],
        ["Trees"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages"],
        ["Structures"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees"],
        ["Journal"] = ["Format", "Contract", "Threads", "IO"],
        ["Commits"] = ["Format", "Contract", "Threads", "IO", "Journal"],
        ["Transactions"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal", "Commits"],
        ["Checkpoints"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures",
            "Journal", "Commits", "Transactions"],
        ["Recovery"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal",
            "Commits", "Transactions", "Checkpoints"],
        ["Checks"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal", "Transactions"],
        ["Engine"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal",
            "Commits", "Transactions", "Checkpoints", "Recovery", "Checks"],
        ["Rescue"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal",
            "Commits", "Transactions", "Checkpoints", "Recovery", "Checks", "Engine"],
        ["Transfer"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal",
            "Commits", "Transactions", "Checkpoints", "Recovery", "Checks", "Engine"],
        ["History"] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal",
            "Commits", "Transactions", "Checkpoints", "Recovery", "Checks", "Engine", "Transfer"],
        [Doors] = ["Format", "Contract", "Threads", "IO", "Versions", "Pages", "Trees", "Structures", "Journal",
            "Commits", "Transactions", "Checkpoints", "Recovery", "Checks", "Engine", "Rescue", "Transfer", "History"],
    };

    internal static bool IsRoom(string name) => MayName.ContainsKey(name);

    internal static IReadOnlyList<string> NamedBy(string room) => MayName[room];

    /// <summary>
    /// The room of a source file: its first folder below src/Voron.Storage, the doors, or Voron.Native; null outside src.
    /// </summary>
    internal static string? RoomOf(string path)
    {
        if (path.StartsWith(NativeFolder + "/", StringComparison.Ordinal))
        {
            return Native;
        }

        if (!path.StartsWith(StorageFolder + "/", StringComparison.Ordinal))
        {
            return null;
        }

        string inner = path[(StorageFolder.Length + 1)..];
        int slash = inner.IndexOf('/', StringComparison.Ordinal);
        return slash < 0 ? Doors : inner[..slash];
    }

    /// <summary>The room a namespace means by itself; null for those shared by the doors and Contract, and for foreign ones.</summary>
    internal static string? RoomOfNamespace(string name)
    {
        if (name == NativeNamespace || name.StartsWith(NativeNamespace + ".", StringComparison.Ordinal))
        {
            return Native;
        }

        return name.StartsWith(StorageNamespace + ".", StringComparison.Ordinal)
            ? name[(StorageNamespace.Length + 1)..].Split('.')[0] : null;
    }

    /// <summary>Folder = namespace; Contract and the doors share Voron.Storage, because users catch and configure with one using.</summary>
    internal static string NamespaceOf(string path)
    {
        string folder = path[..path.LastIndexOf('/')];
        return folder == StorageFolder + "/Contract" ? StorageNamespace : folder["src/".Length..].Replace('/', '.');
    }
}
