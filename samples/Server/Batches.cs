using System.Text;
using System.Text.Json;

namespace Voron.Samples.Server;

/// <summary><c>[{"put":"users/42","document":{…}},{"delete":"users/1"}]</c>: all of it in one transaction.</summary>
internal static class Batches
{
    internal static async Task<List<DocumentChange>> ReadAsync(HttpContext context)
    {
        using JsonDocument batch = await JsonDocument.ParseAsync(context.Request.Body, default, context.RequestAborted);
        return batch.RootElement.ValueKind == JsonValueKind.Array
            ? [.. batch.RootElement.EnumerateArray().Select(ChangeOf)]
            : throw new ArgumentException("A batch is an array of changes.");
    }

    internal static Task AnswerAsync(HttpContext context, int applied) => Requests.AnswerAsync(context, json =>
    {
        json.WriteStartObject();
        json.WriteNumber("applied", applied);
        json.WriteEndObject();
    });

    private static DocumentChange ChangeOf(JsonElement change)
    {
        if (change.TryGetProperty("put", out JsonElement put) && change.TryGetProperty("document", out JsonElement document))
        {
            return new DocumentChange(IdOf(put.GetString()!), Encoding.UTF8.GetBytes(document.GetRawText()));
        }

        return change.TryGetProperty("delete", out JsonElement delete)
            ? new DocumentChange(IdOf(delete.GetString()!), null)
            : throw new ArgumentException("A change is {\"put\":\"collection/id\",\"document\":…} or {\"delete\":\"collection/id\"}.");
    }

    private static DocumentId IdOf(string path) => path.Split('/', 2) is [string collection, string id]
        ? DocumentId.Of(collection, id)
        : throw new ArgumentException($"'{path}' is no collection/id.");
}
