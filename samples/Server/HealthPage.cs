using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Voron.Samples.Server;

/// <summary>What the health checks say, in words.</summary>
internal static class HealthPage
{
    internal static Task AnswerAsync(HttpContext context, HealthReport report)
    {
        context.Response.ContentType = "text/plain; charset=utf-8";
        IEnumerable<string> lines = report.Entries.Select(static entry => $"{entry.Value.Status}: {entry.Value.Description}");
        return context.Response.WriteAsync(string.Join('\n', lines) + "\n", context.RequestAborted);
    }
}
