using System.Globalization;

namespace Voron.Simulation.Kills;

/// <summary>
/// Starts the writing process, kills it at a random moment, reopens the database and holds it against the script: every acknowledged
/// transaction is there, at most the one under way is there too, nothing is there in part. Every few kills a new database begins, with the
/// next seed, so that little is written and the comparison stays short.
/// </summary>
internal sealed class KillLoop(string folder, ulong seed)
{
    private const int KillsPerDatabase = 4;
    private readonly Random _random = new((int)seed);
    private ScriptModel _model = new(seed);
    private ulong _seed;
    private string _database = string.Empty;
    private int _databases;

    internal int Kills { get; private set; }

    internal int KillsInsideCheckpoint { get; private set; }

    /// <summary>Kills before the process had acknowledged anything: while it opened, created or recovered the database.</summary>
    internal int KillsInsideOpening { get; private set; }

    internal void KillOnce()
    {
        if (Kills % KillsPerDatabase == 0)
        {
            BeginDatabase();
        }

        // Of five kills two aim at a checkpoint and one at the opening; the others hit whatever is under way.
        int aim = Kills % 5;
        (long acknowledged, bool inside) = aim == 4 ? RunAndKillEarly(_random.Next(30, 150)) : RunAndKill(aim < 2, _random.Next(2, 50));
        Kills++;
        KillsInsideCheckpoint += inside ? 1 : 0;
        KillsInsideOpening += acknowledged == 0 ? 1 : 0;
        _model.Verify(_database, acknowledged, $"seed {seed}, kill {Kills}, a database of seed {_seed}");
    }

    private void BeginDatabase()
    {
        if (_database.Length > 0)
        {
            Directory.Delete(_database, recursive: true);
        }

        _database = Path.Combine(folder, (++_databases).ToString(CultureInfo.InvariantCulture));
        _seed = seed + (ulong)_databases;
        _model = new ScriptModel(_seed);
    }

    private (long Acknowledged, bool Inside) RunAndKill(bool wantCheckpoint, int milliseconds)
    {
        using Victim victim = Start();
        victim.AwaitFirstAcknowledged();
        Thread.Sleep(milliseconds);
        if (wantCheckpoint)
        {
            SpinWait.SpinUntil(() => victim.Told.IsInside, TimeSpan.FromSeconds(5));
        }

        return Kill(victim);
    }

    private (long Acknowledged, bool Inside) RunAndKillEarly(int milliseconds)
    {
        using Victim victim = Start();
        victim.Told.FirstAcknowledged.Wait(milliseconds);
        return Kill(victim);
    }

    private static (long Acknowledged, bool Inside) Kill(Victim victim)
    {
        victim.Kill();
        return (victim.Told.Acknowledged, victim.Told.IsInside);
    }

    private Victim Start() => new(_database, _seed.ToString(CultureInfo.InvariantCulture));
}
