using Voron.Samples.Server;
using Voron.Storage;
using Voron.Storage.Replication;

namespace Voron.Samples.Cluster;

/// <summary>
/// The addresses of the document server on a node. A request that writes is answered when the log has its changes; 504 says that the
/// outcome is unknown.
/// </summary>
internal sealed class NodeApi(Lazy<VersionedStore> store, Lazy<Leadership> leadership)
{
    private static readonly TimeSpan WritePatience = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan ReadPatience = TimeSpan.FromSeconds(5);

    internal void Map(IEndpointRouteBuilder routes)
    {
        new ListingApi(() => store.Value.Documents, VersionedStore.IsShown).Map(routes);
        routes.MapGet("/docs/{collection}/{**id}", GetAsync);
        routes.MapPut("/docs/{collection}/{**id}", PutAsync);
        routes.MapDelete("/docs/{collection}/{**id}", DeleteAsync);
        routes.MapPost("/batch", BatchAsync);
    }

    private async Task GetAsync(HttpContext context)
    {
        DocumentId id = VersionedStore.Checked(Requests.IdOf(context));
        if (context.Request.Query["read"] == "latest" && !await TryReachLatestAsync(context))
        {
            return;
        }

        // No snapshot is open while the client takes its time: a node that changes its role would wait for it.
        if (store.Value.Get(id) is not { } document)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        context.Response.Headers.ETag = Condition.TagOf(document.Version);
        context.Response.ContentType = "application/octet-stream";
        context.Response.ContentLength = document.Body.Length;
        await context.Response.Body.WriteAsync(document.Body, context.RequestAborted);
    }

    private async Task PutAsync(HttpContext context)
    {
        DocumentId id = VersionedStore.Checked(Requests.IdOf(context));
        if (!await LeadsAsync(context))
        {
            return;
        }

        Condition condition = Condition.Of(context.Request.Headers);
        using MemoryStream body = new();
        await context.Request.Body.CopyToAsync(body, context.RequestAborted);
        Guid version = Guid.NewGuid();
        if (await TryWriteAsync(context, () => store.Value.PutAsync(id, body.ToArray(), condition, version)) is { } answer)
        {
            context.Response.Headers.ETag = answer == WriteAnswer.Done ? Condition.TagOf(version) : default;
            context.Response.StatusCode = StatusOf(answer);
        }
    }

    private async Task DeleteAsync(HttpContext context)
    {
        DocumentId id = VersionedStore.Checked(Requests.IdOf(context));
        Condition condition = Condition.Of(context.Request.Headers);
        if (await LeadsAsync(context) && await TryWriteAsync(context, () => store.Value.DeleteAsync(id, condition)) is { } answer)
        {
            context.Response.StatusCode = StatusOf(answer);
        }
    }

    private async Task BatchAsync(HttpContext context)
    {
        if (!await LeadsAsync(context))
        {
            return;
        }

        List<DocumentChange> changes = await Batches.ReadAsync(context);
        List<(DocumentChange, Guid)> versioned =
            [.. changes.Select(static change => (change with { Id = VersionedStore.Checked(change.Id) }, Guid.NewGuid()))];
        if (await TryWriteAsync(context, () => store.Value.ApplyAsync(versioned)) is not null)
        {
            await Batches.AnswerAsync(context, changes.Count);
        }
    }

    /// <summary>
    /// Waits for a write; null if it has failed and that is answered. Only what was certainly not written may be answered with 4xx or a
    /// redirection; the outcome of all other failures is unknown.
    /// </summary>
    private async Task<WriteAnswer?> TryWriteAsync(HttpContext context, Func<ValueTask<WriteAnswer>> write)
    {
        try
        {
            return await write().AsTask().WaitAsync(WritePatience);
        }
        catch (NotLeaderException)
        {
            await SendToLeaderAsync(context);
        }
        catch (Exception error) when (error is not (KeyTooLongException or ValueTooLongException))
        {
            await SayAsync(context, StatusCodes.Status504GatewayTimeout, $"Whether it is done is unknown: {error.Message}");
        }

        return null;
    }

    private async Task<bool> LeadsAsync(HttpContext context)
    {
        if (leadership.Value.IsOwn)
        {
            return true;
        }

        await SendToLeaderAsync(context);
        return false;
    }

    private Task SendToLeaderAsync(HttpContext context)
    {
        // A node that leads by now was not the leader when it was asked: the client tries again.
        if (leadership.Value is not { IsOwn: false, Address: { } address })
        {
            return SayAsync(context, StatusCodes.Status503ServiceUnavailable, "No node leads at the moment.");
        }

        context.Response.Headers.Location = address + context.Request.Path.ToUriComponent() + context.Request.QueryString.ToUriComponent();
        return SayAsync(context, StatusCodes.Status307TemporaryRedirect, "Another node leads.");
    }

    private async Task<bool> TryReachLatestAsync(HttpContext context)
    {
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted);
        limit.CancelAfter(ReadPatience);
        try
        {
            await leadership.Value.Replica.ReadBarrierAsync(limit.Token);
            return true;
        }
        catch (Exception error) when (!context.RequestAborted.IsCancellationRequested)
        {
            await SayAsync(
                context, StatusCodes.Status503ServiceUnavailable, $"The newest state cannot be asked for at the moment: {error.Message}");
            return false;
        }
    }

    private static int StatusOf(WriteAnswer answer) => answer switch
    {
        WriteAnswer.Done => StatusCodes.Status204NoContent,
        WriteAnswer.Missing => StatusCodes.Status404NotFound,
        _ => StatusCodes.Status412PreconditionFailed,
    };

    private static Task SayAsync(HttpContext context, int status, string what)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(what + "\n", CancellationToken.None);
    }
}
