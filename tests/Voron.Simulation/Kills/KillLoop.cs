using System.Buffers.Binary;
using System.Diagnostics;
using FluentAssertions;
using Voron.CrashWriter;
using Voron.Storage;

namespace Voron.Simulation.Kills;

/// <summary>
/// Starts the writing process, kills it at a random moment, reopens the database and holds it against the script: every acknowledged
/// transaction is there, at most the one under way is there too, nothing is there in part.
/// </summary>
internal sealed class KillLoop(string folder, ulong seed)
{
    private readonly Random _random = new((int)seed);
    private readonly Dictionary<int, CrashScript.ScriptStep> _model = [];
    private long _modelAt;

    internal int Kills { get; private set; }

    internal int KillsInsideCheckpoint { get; private set; }

    internal void KillOnce()
    {
        bool wantCheckpoint = Kills % 5 < 2;
        (long acknowledged, bool inside) = RunAndKill(wantCheckpoint, 20 + _random.Next(150));
        Kills++;
        KillsInsideCheckpoint += inside ? 1 : 0;
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        using (ReadTransaction transaction = environment.BeginRead())
        {
            long found = transaction.TransactionId;
            string where = $"seed {seed}, kill {Kills}";
            found.Should().BeGreaterThanOrEqualTo(acknowledged, "transaction {0} was acknowledged ({1})", acknowledged, where);
            found.Should().BeLessThanOrEqualTo(Math.Max(acknowledged, _modelAt) + 1, "no later one was begun ({0})", where);
            AdvanceModel(found);
            Compare(transaction, where);
        }

        environment.Check().Findings.Should().BeEmpty("seed {0}, kill {1}", seed, Kills);
    }

    private (long Acknowledged, bool Inside) RunAndKill(bool wantCheckpoint, int milliseconds)
    {
        string program = Path.Combine(AppContext.BaseDirectory, "Voron.CrashWriter.dll");
        using Process process = Process.Start(new ProcessStartInfo("dotnet", [program, folder, seed.ToString()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        MessageReader reader = new(process.StandardOutput.BaseStream);
        Task reading = Task.Run(reader.ReadToEnd);
        reader.FirstAcknowledged.Wait(TimeSpan.FromSeconds(60)).Should().BeTrue(
            "the writer starts (it said: {0})", process.HasExited ? errors.Result : "nothing");
        Thread.Sleep(milliseconds);
        if (wantCheckpoint)
        {
            SpinWait.SpinUntil(() => reader.InsideCheckpoint, TimeSpan.FromSeconds(5));
        }

        process.Kill();
        process.WaitForExit();
        reading.Wait(TimeSpan.FromSeconds(60)).Should().BeTrue("the pipe ends with the process");
        return (reader.Acknowledged, reader.InsideCheckpoint);
    }

    private void AdvanceModel(long to)
    {
        for (long id = _modelAt + 1; id <= to; id++)
        {
            foreach (CrashScript.ScriptStep step in CrashScript.StepsOf(seed, id))
            {
                if (step.ValueBytes < 0)
                {
                    _model.Remove(step.Key);
                }
                else
                {
                    _model[step.Key] = step;
                }
            }
        }

        _modelAt = to;
    }

    private void Compare(ReadTransaction transaction, string where)
    {
        if (!transaction.TryOpenTree("data", out ReadTree tree))
        {
            _model.Should().BeEmpty(where);
            return;
        }

        tree.Count.Should().Be(_model.Count, where);
        byte[] expected = new byte[16_384];
        byte[] key = new byte[16];
        foreach (CrashScript.ScriptStep step in _model.Values)
        {
            CrashScript.WriteKey(step.Key, key);
            CrashScript.FillValue(step, expected.AsSpan(0, step.ValueBytes));
            bool same = tree.TryGet(key, out ReadOnlySpan<byte> value) && value.SequenceEqual(expected.AsSpan(0, step.ValueBytes));
            same.Should().BeTrue("key {0} has the value of transaction ≤ {1} ({2})", step.Key, _modelAt, where);
        }
    }

    private sealed class MessageReader(Stream stream)
    {
        private long _acknowledged;
        private volatile bool _inside;

        internal ManualResetEventSlim FirstAcknowledged { get; } = new(false);

        internal long Acknowledged => Volatile.Read(ref _acknowledged);

        internal bool InsideCheckpoint => _inside;

        internal void ReadToEnd()
        {
            byte[] message = new byte[CrashWriting.MessageBytes];
            while (stream.ReadAtLeast(message, message.Length, throwOnEndOfStream: false) == message.Length)
            {
                if (message[0] == 'A')
                {
                    Volatile.Write(ref _acknowledged, BinaryPrimitives.ReadInt64LittleEndian(message.AsSpan(1)));
                    FirstAcknowledged.Set();
                }
                else
                {
                    _inside = message[0] == 'B';
                }
            }
        }
    }
}
