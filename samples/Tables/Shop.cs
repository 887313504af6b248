using Voron.Samples.Worker;
using Voron.Storage.Typed;

namespace Voron.Samples.Tables;

/// <summary>The tables and their indexes; static fields are set in the order of the text, so indexes come first.</summary>
internal static class Shop
{
    internal static readonly Index<User, string> ByEmail = Index.Unique(
        "email", KeyCodec.String, static (User user) => user.Email);

    internal static readonly TableDefinition<long, User> Users = new(
        "users", KeyCodec.Int64, new JsonCodec<User>(ShopJson.Default.User), static user => user.Id)
    {
        Indexes = { ByEmail },
    };

    /// <summary>Two parts: all orders of a customer are together, by time.</summary>
    internal static readonly Index<Order, (long Customer, DateTimeOffset At)> ByCustomer = Index.Of(
        "customer", KeyCodec.Tuple(KeyCodec.Int64, KeyCodec.DateTimeOffset), static (Order order) => (order.Customer, order.At));

    internal static readonly TableDefinition<long, Order> Orders = new(
        "orders", KeyCodec.Int64, ValueCodec.Brotli(new JsonCodec<Order>(ShopJson.Default.Order)), static order => order.Id)
    {
        Indexes = { ByCustomer },
    };

    internal static readonly TableDefinition<Guid, Session> Sessions = new(
        "sessions", KeyCodec.Guid, new JsonCodec<Session>(ShopJson.Default.Session), static session => session.Id)
    {
        Indexes = { Index.Expiry(static (Session session) => session.Until) },
    };
}
