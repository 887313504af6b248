namespace Voron.Samples.Server;

/// <summary>The page at the root, one file in the assembly: documents, and the live metrics beside them.</summary>
internal static class Page
{
    internal static async Task AnswerAsync(HttpContext context)
    {
        context.Response.ContentType = "text/html; charset=utf-8";
        context.Response.Headers.ContentSecurityPolicy =
            "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'";
        await using Stream page = typeof(Page).Assembly.GetManifestResourceStream("page.html")!;
        await page.CopyToAsync(context.Response.Body, context.RequestAborted);
    }
}
