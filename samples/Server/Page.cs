namespace Voron.Samples.Server;

/// <summary>The page at the root, one file in the assembly.</summary>
internal static class Page
{
    internal static Task AnswerAsync(HttpContext context) => AnswerAsync(context, "'self'");

    /// <param name="context">The request.</param>
    /// <param name="asked">The servers that the page may ask.</param>
    internal static async Task AnswerAsync(HttpContext context, string asked)
    {
        context.Response.ContentType = "text/html; charset=utf-8";
        context.Response.Headers.ContentSecurityPolicy =
            $"default-src 'none'; connect-src {asked}; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'";
        await using Stream page = typeof(Page).Assembly.GetManifestResourceStream("page.html")!;
        await page.CopyToAsync(context.Response.Body, context.RequestAborted);
    }
}
