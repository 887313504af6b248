using Etcdserverpb;

namespace Voron.Storage.Replication.Etcd;

/// <summary>What weakens a log without making it wrong.</summary>
internal static class EtcdWarnings
{
    private static readonly Version FirstDamaging = new(3, 5, 0);
    private static readonly Version Repaired = new(3, 5, 6);

    internal static async ValueTask<IReadOnlyList<string>> FindAsync(EtcdCalls calls, CancellationToken cancellation)
    {
        List<string> found = [];
        StatusResponse status = await calls.StatusAsync(cancellation).ConfigureAwait(false);
        if (Version.TryParse(status.Version.Split('-')[0], out Version? version) && version >= FirstDamaging && version < Repaired)
        {
            found.Add($"The server has version {version}. Before {Repaired}, 3.5 can lose or repeat changes when it crashes.");
        }

        MemberListResponse members = await calls.MembersAsync(cancellation).ConfigureAwait(false);
        if (members.Members.Count < 3)
        {
            found.Add($"The log is on {members.Members.Count} server(s). It takes 3 to survive one of them.");
        }

        return found;
    }
}
