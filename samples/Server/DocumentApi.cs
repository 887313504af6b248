using System.Buffers;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Samples.Server;

/// <summary>The addresses of the server and what they do. A request that writes is answered when its changes are on the device.</summary>
internal sealed class DocumentApi(DocumentStore store)
{
    internal void Map(IEndpointRouteBuilder routes)
    {
        routes.MapGet("/docs/{collection}/{**id}", GetAsync);
        routes.MapPut("/docs/{collection}/{**id}", PutAsync);
        routes.MapDelete("/docs/{collection}/{**id}", DeleteAsync);
        routes.MapPost("/batch", BatchAsync);
    }

    private async Task PutAsync(HttpContext context)
    {
        DocumentId id = Requests.IdOf(context);
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
        if (!DocumentStore.TryOpen(read, Requests.IdOf(context), out PipeReader? body, out long bytes))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        await Requests.AnswerAsync(context, body, bytes);
    }

    private async Task DeleteAsync(HttpContext context)
    {
        bool wasThere = await store.DeleteAsync(Requests.IdOf(context), context.RequestAborted);
        context.Response.StatusCode = wasThere ? StatusCodes.Status204NoContent : StatusCodes.Status404NotFound;
    }

    private async Task BatchAsync(HttpContext context)
    {
        List<DocumentChange> changes = await Batches.ReadAsync(context);
        await store.ApplyAsync(changes, context.RequestAborted);
        await Batches.AnswerAsync(context, changes.Count);
    }
}
