using Voron.Samples.Tables;
using Voron.Storage;
using Voron.Storage.Typed;

// A small shop: users with a unique e-mail address, orders by customer and time, sessions that expire.
//   dotnet run --project samples/Tables
using StorageEnvironment storage = StorageEnvironment.Open("data");

// Does nothing, unless this version of the program has an index that the database has not.
await storage.BuildIndexesAsync(Shop.Users);
await storage.BuildIndexesAsync(Shop.Orders);
await storage.BuildIndexesAsync(Shop.Sessions);

Counter counter = new(storage);
User ada = await counter.SignUpAsync("ada@example.org", "Ada");
User grace = await counter.SignUpAsync("grace@example.org", "Grace");
try
{
    await counter.RenameAsync(grace.Id, "ada@example.org");
}
catch (UniqueIndexException taken)
{
    Console.WriteLine($"refused: {taken.Key} is the {taken.Index} of another of the {taken.Table}");
}

DateTimeOffset monday = new(2026, 3, 2, 9, 0, 0, TimeSpan.Zero);
for (int day = 0; day < 5; day++)
{
    await counter.OrderAsync(ada, monday.AddDays(day), $"book {day + 1}", 20 + day);
    await counter.OrderAsync(grace, monday.AddDays(day), $"lamp {day + 1}", 50 + day);
}

// One snapshot: whatever is written meanwhile, rows and indexes belong together.
using (ReadTransaction read = storage.BeginRead())
{
    ReadTable<long, User> users = read.OpenTable(Shop.Users);
    ReadTable<long, Order> orders = read.OpenTable(Shop.Orders);
    if (users.By(Shop.ByEmail).TryGet("ada@example.org", out User? found))
    {
        Console.WriteLine($"{found.Name} from Tuesday to Thursday, the newest first:");
        foreach (Order order in orders.By(Shop.ByCustomer)
            .Range((found.Id, monday.AddDays(1)), (found.Id, monday.AddDays(4))).Reverse())
        {
            Console.WriteLine($"  {order.At:yyyy-MM-dd} {order.What}, {order.Price}");
        }
    }

    Console.WriteLine($"{users.Count} users, {orders.Count} orders");
}

DateTimeOffset now = DateTimeOffset.UtcNow;
await counter.SignInAsync(ada, until: now.AddHours(1));
await counter.SignInAsync(ada, until: now.AddMinutes(-1));
await counter.SignInAsync(grace, until: now.AddMinutes(-5));
long swept = await storage.SweepExpiredAsync(Shop.Sessions, now);
Console.WriteLine($"{swept} sessions had expired");

using (ReadTransaction read = storage.BeginRead())
{
    int faults = read.OpenTable(Shop.Users).Check().Count + read.OpenTable(Shop.Orders).Check().Count
        + read.OpenTable(Shop.Sessions).Check().Count;
    Console.WriteLine($"{faults} differences between rows and indexes");
}
