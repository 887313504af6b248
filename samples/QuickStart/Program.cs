using System.Text;
using Voron.Storage;

using var env = StorageEnvironment.Open("data");                        // a folder; it is created
using WriteTransaction tx = env.BeginWrite();                           // without a commit: rolled back
tx.OpenTree("users").Put("user:42"u8, """{"name":"Ada"}"""u8);          // a named, ordered map of bytes
tx.Commit();                                                            // on the device when it returns
using ReadTransaction snapshot = env.BeginRead();                       // blocks no one
foreach (var (key, value) in snapshot.OpenTree("users").Prefix("user:"u8))
    Console.WriteLine($"{Encoding.UTF8.GetString(key)} = {Encoding.UTF8.GetString(value)}");
