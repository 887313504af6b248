using System.Text;

namespace Voron.Samples.Server;

/// <summary>A collection and the key of a document in it.</summary>
internal readonly record struct DocumentId(string Collection, byte[] Key)
{
    internal static DocumentId Of(string collection, string id) => collection.Length > 0 && id.Length > 0
        ? new DocumentId(collection, Encoding.UTF8.GetBytes(id))
        : throw new ArgumentException("A document has a collection and an id.");
}
