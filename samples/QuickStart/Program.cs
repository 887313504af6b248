using System.Text;
using Voron.Storage;

using var env = StorageEnvironment.Open("data");          // a folder; it is created

using (WriteTransaction tx = env.BeginWrite())
{
    Tree users = tx.OpenTree("users");                    // a named, ordered map of bytes
    users.Put("user:42"u8, """{"name":"Ada"}"""u8);
    tx.Commit();                                          // durable when it returns; without it: rolled back
}

using (ReadTransaction tx = env.BeginRead())              // a snapshot; blocks no one
{
    foreach (var (key, value) in tx.OpenTree("users").Prefix("user:"u8))
        Console.WriteLine($"{Encoding.UTF8.GetString(key)} = {Encoding.UTF8.GetString(value)}");
}
