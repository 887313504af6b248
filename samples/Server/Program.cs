using OpenTelemetry.Metrics;
using Voron.Samples.Server;
using Voron.Storage.Extensions;

// A document server: PUT, GET, DELETE and scans over HTTP. samples/README.md shows it with curl.
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions
{
    Args = args,
    ContentRootPath = AppContext.BaseDirectory,
});
builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = null);
builder.Services.AddVoronStorage(
    builder.Configuration.GetSection("Storage"),
    static options => options.Path = options.Path is { Length: > 0 } path ? Path.GetFullPath(path) : null);
builder.Services.AddHealthChecks().AddVoronStorage();
builder.Services.AddSingleton<DocumentStore>();
builder.Services.AddOpenTelemetry().WithMetrics(static metrics => metrics
    .AddMeter(VoronStorageTelemetry.MeterName, "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel")
    .AddPrometheusExporter());

await using WebApplication app = builder.Build();
app.Use(Faults.AnswerAsync);
DocumentStore store = app.Services.GetRequiredService<DocumentStore>();
new ListingApi(() => store, static _ => true).Map(app);
new DocumentApi(store).Map(app);
app.MapGet("/", Page.AnswerAsync);
app.MapPrometheusScrapingEndpoint("/metrics");
app.MapHealthChecks("/health", new() { ResponseWriter = HealthPage.AnswerAsync });
app.Lifetime.ApplicationStarted.Register(() => Console.WriteLine($"Listening on {string.Join(' ', app.Urls)}"));
await app.RunAsync();
