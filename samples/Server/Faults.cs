using System.Text.Json;
using Voron.Storage;

namespace Voron.Samples.Server;

/// <summary>Turns what goes wrong into an answer that says what it is.</summary>
internal static class Faults
{
    internal static async Task AnswerAsync(HttpContext context, RequestDelegate next)
    {
        try
        {
            await next(context);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody is left to answer.
        }
        catch (Exception error) when (StatusOf(error) is { } status && !context.Response.HasStarted)
        {
            context.Response.Clear();
            context.Response.StatusCode = status;
            context.Response.ContentType = "text/plain; charset=utf-8";
            await context.Response.WriteAsync(error.Message + "\n", CancellationToken.None);
        }
    }

    /// <summary>Null for what nobody expected: that is the server's own trouble, and logged as such.</summary>
    private static int? StatusOf(Exception error) => error switch
    {
        BadHttpRequestException bad => bad.StatusCode,
        ArgumentException or KeyTooLongException or ValueTooLongException or JsonException => StatusCodes.Status400BadRequest,
        StorageFullException => StatusCodes.Status507InsufficientStorage,
        StoragePoisonedException or CommitOutcomeUnknownException or ObjectDisposedException => StatusCodes.Status503ServiceUnavailable,
        _ => null,
    };
}
