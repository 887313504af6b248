using Voron.Storage.Engine;
using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>A database as a list of what its transactions contain. What is not durable may be lost by a crash.</summary>
internal sealed class ModelStore(Action<long, ulong> made) : IReplicaStore
{
    private readonly List<ulong> _transactions = [];
    private ulong _open;
    private uint _fragments;
    private bool _isOpen;
    private bool _isInFragment;

    public long LastTransaction => _transactions.Count;

    internal long Durable { get; private set; }

    internal IReadOnlyList<ulong> Transactions => _transactions;

    internal Guid Log { get; private set; }

    public ValueTask<bool> ApplyAsync(RedoRecord record, ReadOnlyMemory<byte> body, CancellationToken cancellation)
    {
        long id = record.TransactionId.Value;
        if (id <= LastTransaction)
        {
            return new ValueTask<bool>(false);
        }

        Check(id == LastTransaction + 1, $"transaction {id} follows {LastTransaction}");
        if (record is { Fragment: 0, IsContent: false } && !_isInFragment)
        {
            Abort();
            _isOpen = true;
        }

        Check(_isOpen && record.Fragment == _fragments, $"fragment {record.Fragment} of transaction {id} follows {_fragments}");
        _open = Mix(_open, body.Span);
        _isInFragment = record.GoesOn;
        _fragments += record.GoesOn ? 0u : 1;
        if (record.IsLast)
        {
            Write(_open);
            Abort();
        }

        return new ValueTask<bool>(record.IsLast);
    }

    public void Abort()
    {
        _open = 0;
        _fragments = 0;
        _isOpen = false;
        _isInFragment = false;
    }

    public void Join(Guid log)
    {
        Check(Log == Guid.Empty || Log == log, "another log");
        Log = log;
    }

    internal static ulong Mix(ulong content, ReadOnlySpan<byte> body)
    {
        foreach (byte one in body)
        {
            content = (content ^ one) * 1099511628211;
        }

        return content + 1;
    }

    internal void Write(ulong content)
    {
        _transactions.Add(content);
        made(LastTransaction, content);
    }

    internal void Flush() => Durable = LastTransaction;

    /// <summary>Loses some of what is not durable.</summary>
    internal void Crash(Random random)
    {
        Abort();
        int left = (int)Durable + random.Next((int)(LastTransaction - Durable) + 1);
        _transactions.RemoveRange(left, _transactions.Count - left);
        Durable = left;
    }

    /// <summary>Takes the place of another one.</summary>
    internal void Restore(IReadOnlyList<ulong> transactions, Guid log)
    {
        Abort();
        _transactions.Clear();
        _transactions.AddRange(transactions);
        Durable = LastTransaction;
        Log = log;
    }

    private static void Check(bool holds, string what)
    {
        if (!holds)
        {
            throw new ViolationException(what);
        }
    }
}
