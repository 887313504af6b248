using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using Voron.Storage;

namespace Voron.Samples.Server;

/// <summary>The addresses of the server and what they do. A request that writes is answered when its changes are on the device.</summary>
internal sealed class DocumentApi(DocumentStore store)
{
    private const int MostInScan = 10_000;

    internal void Map(IEndpointRouteBuilder routes)
    {
        routes.MapGet("/docs", CollectionsAsync);
        routes.MapGet("/docs/{collection}", ScanAsync);
        routes.MapGet("/docs/{collection}/{**id}", GetAsync);
        routes.MapPut("/docs/{collection}/{**id}", PutAsync);
        routes.MapDelete("/docs/{collection}/{**id}", DeleteAsync);
        routes.MapPost("/batch", BatchAsync);
    }

    private async Task PutAsync(HttpContext context)
    {
        DocumentId id = IdOf(context);
        if (context.Request.ContentLength is { } length and <= DocumentStore.SmallBytes)
        {
            await PutSmallAsync(context, id, (int)length);
        }
        else
        {
            await PutLongAsync(context, id);
        }

        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private async Task PutSmallAsync(HttpContext context, DocumentId id, int length)
    {
        PipeReader body = context.Request.BodyReader;
        ReadResult read = await body.ReadAtLeastAsync(length, context.RequestAborted);
        if (read.Buffer.Length < length)
        {
            throw new BadHttpRequestException("The body ends too early.");
        }

        await store.PutAsync(id, read.Buffer.Slice(0, length), context.RequestAborted);
        body.AdvanceTo(read.Buffer.End);
    }

    /// <summary>
    /// A long body goes to a file first: it comes as fast as the client pleases, and a write transaction that waited for it would hold up
    /// everybody.
    /// </summary>
    private async Task PutLongAsync(HttpContext context, DocumentId id)
    {
        await using FileStream file = new(Path.GetTempFileName(), new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Options = FileOptions.DeleteOnClose | FileOptions.Asynchronous,
        });
        await context.Request.BodyReader.CopyToAsync(file, context.RequestAborted);
        file.Position = 0;
        await store.PutAsync(id, file, context.RequestAborted);
    }

    private async Task GetAsync(HttpContext context)
    {
        using ReadTransaction read = store.BeginRead();
        if (!DocumentStore.TryOpen(read, IdOf(context), out PipeReader? body, out long bytes))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        context.Response.ContentType = "application/octet-stream";
        context.Response.ContentLength = bytes;
        await body.CopyToAsync(context.Response.BodyWriter, context.RequestAborted);
        await body.CompleteAsync();
    }

    private async Task DeleteAsync(HttpContext context)
    {
        bool wasThere = await store.DeleteAsync(IdOf(context), context.RequestAborted);
        context.Response.StatusCode = wasThere ? StatusCodes.Status204NoContent : StatusCodes.Status404NotFound;
    }

    private Task CollectionsAsync(HttpContext context) => AnswerAsync(context, json =>
    {
        json.WriteStartObject();
        foreach ((string collection, long count) in store.Collections())
        {
            json.WriteNumber(collection, count);
        }

        json.WriteEndObject();
    });

    private Task ScanAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        int most = query.TryGetValue("take", out var take) ? int.Parse(take.ToString(), CultureInfo.InvariantCulture) : 100;
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most, "take");
        ArgumentOutOfRangeException.ThrowIfGreaterThan(most, MostInScan, "take");
        string from = query["from"].ToString();
        string prefix = query["prefix"].ToString();
        return AnswerAsync(context, json =>
        {
            json.WriteStartArray();
            foreach ((string id, long bytes) in store.Scan(CollectionOf(context), from, prefix, most))
            {
                json.WriteStartObject();
                json.WriteString("id", id);
                json.WriteNumber("bytes", bytes);
                json.WriteEndObject();
            }

            json.WriteEndArray();
        });
    }

    /// <summary><c>[{"put":"users/42","document":{…}},{"delete":"users/1"}]</c>: all of it in one transaction.</summary>
    private async Task BatchAsync(HttpContext context)
    {
        using JsonDocument batch = await JsonDocument.ParseAsync(context.Request.Body, default, context.RequestAborted);
        List<DocumentChange> changes = [.. batch.RootElement.EnumerateArray().Select(ChangeOf)];
        await store.ApplyAsync(changes, context.RequestAborted);
        await AnswerAsync(context, json =>
        {
            json.WriteStartObject();
            json.WriteNumber("applied", changes.Count);
            json.WriteEndObject();
        });
    }

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

    private static async Task AnswerAsync(HttpContext context, Action<Utf8JsonWriter> write)
    {
        context.Response.ContentType = "application/json";
        await using (Utf8JsonWriter json = new(context.Response.BodyWriter))
        {
            write(json);
        }

        await context.Response.BodyWriter.FlushAsync(context.RequestAborted);
    }

    private static string CollectionOf(HttpContext context) => (string)context.Request.RouteValues["collection"]!;

    private static DocumentId IdOf(HttpContext context) =>
        DocumentId.Of(CollectionOf(context), (string?)context.Request.RouteValues["id"] ?? string.Empty);

    private static DocumentId IdOf(string path) => path.Split('/', 2) is [string collection, string id]
        ? DocumentId.Of(collection, id)
        : throw new ArgumentException($"'{path}' is no collection/id.");
}
