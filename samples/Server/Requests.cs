using System.IO.Pipelines;
using System.Text.Json;

namespace Voron.Samples.Server;

/// <summary>What a request names, and answers in JSON and in bytes.</summary>
internal static class Requests
{
    internal static string CollectionOf(HttpContext context) => (string)context.Request.RouteValues["collection"]!;

    internal static DocumentId IdOf(HttpContext context) =>
        DocumentId.Of(CollectionOf(context), (string?)context.Request.RouteValues["id"] ?? string.Empty);

    internal static async Task AnswerAsync(HttpContext context, Action<Utf8JsonWriter> write)
    {
        context.Response.ContentType = "application/json";
        await using (Utf8JsonWriter json = new(context.Response.BodyWriter))
        {
            write(json);
        }

        await context.Response.BodyWriter.FlushAsync(context.RequestAborted);
    }

    /// <summary>Sends a document while its snapshot is open.</summary>
    internal static async Task AnswerAsync(HttpContext context, PipeReader body, long bytes)
    {
        context.Response.ContentType = "application/octet-stream";
        context.Response.ContentLength = bytes;
        await body.CopyToAsync(context.Response.BodyWriter, context.RequestAborted);
        await body.CompleteAsync();
    }
}
