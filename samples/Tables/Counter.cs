using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.Samples.Tables;

/// <summary>What the shop's customers do. Each call is one transaction, and those of many callers share a write.</summary>
internal sealed class Counter(StorageEnvironment storage)
{
    /// <summary>The user with this address, who is new if there was none.</summary>
    internal ValueTask<User> SignUpAsync(string email, string name) => storage.WriteAsync(
        static (tx, user) =>
        {
            Table<long, User> users = tx.OpenTable(Shop.Users);
            if (!users.By(Shop.ByEmail).TryGet(user.email, out User? known))
            {
                known = new User(users.NextId(), user.email, user.name);
                users.Insert(known);
            }

            return known;
        },
        (email, name));

    /// <summary>Gives a user another address.</summary>
    /// <exception cref="UniqueIndexException">Another one has it; nothing changed.</exception>
    internal ValueTask<bool> RenameAsync(long id, string email) => storage.WriteAsync(
        static (tx, change) => tx.OpenTable(Shop.Users).Update(
            change.id, static (user, email) => user with { Email = email }, change.email),
        (id, email));

    /// <summary>An order, which is the same one if it is placed again for that time.</summary>
    internal ValueTask OrderAsync(User customer, DateTimeOffset at, string what, decimal price) => storage.WriteAsync(
        static (tx, order) =>
        {
            Table<long, Order> orders = tx.OpenTable(Shop.Orders);
            foreach (Order same in orders.By(Shop.ByCustomer).Equal((order.Customer, order.At)))
            {
                orders.Put(order with { Id = same.Id });
                return;
            }

            orders.Insert(order with { Id = orders.NextId() });
        },
        new Order(0, customer.Id, at, what, price));

    /// <summary>A session that ends at a time.</summary>
    internal ValueTask SignInAsync(User user, DateTimeOffset until) => storage.WriteAsync(
        static (tx, session) => tx.OpenTable(Shop.Sessions).Insert(session),
        new Session(Guid.NewGuid(), user.Id, until));
}
