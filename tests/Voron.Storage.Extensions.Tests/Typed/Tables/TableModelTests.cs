using System.Globalization;
using FluentAssertions;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

/// <summary>
/// Random operations on a table beside a dictionary of rows, from which each index is computed as a function of the rows. Every snapshot
/// that was committed is compared, also after later changes; transactions roll back, as a whole and to savepoints.
/// <c>VORON_TABLE_TRANSACTIONS</c> is the number of transactions, <c>VORON_REPLAY</c> the seed.
/// </summary>
public sealed class TableModelTests
{
    private static readonly string[] Texts = ["", "\0", "a", "a\0", "aa", "aab", "ab", "b", "é"];

    private readonly int _seed = int.Parse(
        Environment.GetEnvironmentVariable("VORON_REPLAY") ?? "20260", CultureInfo.InvariantCulture);

    [Fact]
    public void A_table_is_its_rows_and_the_functions_of_them()
    {
        int transactions = int.Parse(
            Environment.GetEnvironmentVariable("VORON_TABLE_TRANSACTIONS") ?? "150", CultureInfo.InvariantCulture);
        Random random = new(_seed);
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        SortedDictionary<long, User> committed = [];
        List<(ReadTransaction Snapshot, SortedDictionary<long, User> Rows)> held = [];
        for (int i = 0; i < transactions; i++)
        {
            SortedDictionary<long, User> rows = new(committed);
            using WriteTransaction write = storage.BeginWrite();
            Table<long, User> table = write.OpenTable(Users.Table);
            Run(random, write, table, ref rows);
            if (random.Next(4) == 0)
            {
                Compare(table.AsReadTable(), rows, i);
            }

            if (random.Next(5) != 0)
            {
                write.Commit(CommitMode.Lazy);
                committed = rows;
                held.Add((storage.BeginRead(), rows));
            }

            if (held.Count > 5)
            {
                int one = random.Next(held.Count);
                Compare(held[one].Snapshot.OpenTable(Users.Table), held[one].Rows, i);
                held[one].Snapshot.Dispose();
                held.RemoveAt(one);
            }
        }

        foreach ((ReadTransaction snapshot, SortedDictionary<long, User> rows) in held)
        {
            Compare(snapshot.OpenTable(Users.Table), rows, transactions);
            snapshot.Dispose();
        }
    }

    private static void Run(Random random, WriteTransaction write, Table<long, User> table, ref SortedDictionary<long, User> rows)
    {
        (Savepoint Place, SortedDictionary<long, User> Rows)? savepoint = null;
        for (int i = random.Next(25); i >= 0; i--)
        {
            switch (random.Next(12))
            {
                case 0:
                    savepoint = (write.CreateSavepoint(), new(rows));
                    break;
                case 1 when savepoint is { } place:
                    write.RollbackTo(place.Place);
                    rows = new(place.Rows);
                    break;
                default:
                    Change(random, table, rows);
                    break;
            }
        }
    }

    private static void Change(Random random, Table<long, User> table, SortedDictionary<long, User> rows)
    {
        User user = Any(random);
        bool exists = rows.ContainsKey(user.Id);
        bool isTaken = user.Email is not null && rows.Values.Any(other => other.Id != user.Id && other.Email == user.Email);
        switch (random.Next(6))
        {
            case 0:
                table.Delete(user.Id).Should().Be(rows.Remove(user.Id));
                break;
            case 1 when exists:
                table.Invoking(t => t.Insert(user)).Should().Throw<DuplicateKeyException>();
                break;
            case 2 when exists || !isTaken:
                table.TryInsert(user).Should().Be(rows.TryAdd(user.Id, user));
                break;
            case 3 when !exists || !isTaken:
                table.Update(user.Id, _ => user).Should().Be(exists);
                rows[user.Id] = exists ? user : null!;
                if (!exists)
                {
                    rows.Remove(user.Id);
                }

                break;
            default:
                if (isTaken)
                {
                    table.Invoking(t => t.Put(user)).Should().Throw<UniqueIndexException>().Which.Key.Should().Be(user.Email);
                }
                else
                {
                    table.Put(user);
                    rows[user.Id] = user;
                }

                break;
        }
    }

    private static User Any(Random random) => new(
        random.Next(40),
        random.Next(4) == 0 ? null : Texts[random.Next(Texts.Length)] + random.Next(6),
        Texts[random.Next(Texts.Length)],
        random.Next(-2, 3),
        [.. Enumerable.Range(0, random.Next(5)).Select(_ => Texts[random.Next(Texts.Length)])],
        random.Next(2) == 0 ? null : DateTimeOffset.UnixEpoch.AddMinutes(random.Next(10)));

    private void Compare(ReadTable<long, User> table, SortedDictionary<long, User> rows, int transaction)
    {
        string because = $"VORON_REPLAY={_seed}, transaction {transaction}";
        List<string> found = [];
        foreach (User row in table)
        {
            found.Add(row.ToString());
        }

        found.Should().Equal(rows.Values.Select(static row => row.ToString()), because);
        table.Count.Should().Be(rows.Count, because);
        Users.Ids(table.By(Users.ByEmail).From(string.Empty)).Should().Equal(
            Expected(rows, static u => u.Email is null ? [] : [u.Email], StringComparer.Ordinal), because);
        Users.Ids(table.By(Users.ByCityAge).Reverse()).Should().Equal(
            Expected(rows, static u => [(u.City, u.Age)], Comparer<(string, int)>.Create(static (a, b) =>
                string.CompareOrdinal(a.Item1, b.Item1) is var order && order != 0 ? order : a.Item2.CompareTo(b.Item2))).Reverse(),
            because);
        Users.Ids(table.By(Users.ByTag).From(string.Empty)).Should().Equal(
            Expected(rows, static u => u.Tags.Distinct(), StringComparer.Ordinal), because);
        Users.Ids(table.By(Users.ByExpiry).UpTo(DateTimeOffset.MaxValue)).Should().Equal(
            Expected(rows, static u => u.Expires is { } time ? [time] : [], Comparer<DateTimeOffset>.Default), because);
        table.Check().Should().BeEmpty(because);
    }

    /// <summary>An index as a function of the rows: their keys by index key, then by primary key.</summary>
    private static IEnumerable<long> Expected<T>(
        SortedDictionary<long, User> rows, Func<User, IEnumerable<T>> keys, IComparer<T> order) => rows.Values
            .SelectMany(user => keys(user).Select(key => (Key: key, user.Id)))
            .OrderBy(static entry => entry.Key, order).ThenBy(static entry => entry.Id)
            .Select(static entry => entry.Id);
}
