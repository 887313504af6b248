using System.Net.Http.Headers;
using Voron.Samples.Server;
using Voron.Storage.Replication;
using Voron.Storage.Replication.Etcd;
using Voron.Storage.Replication.Nats;

namespace Voron.Samples.Cluster;

/// <summary>A node of the cluster: the document server on a replica.</summary>
internal static class Node
{
    private const int MostDocumentBytes = 16 << 20;

    internal static async Task<int> RunAsync(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions
        {
            Args = args,
            ContentRootPath = AppContext.BaseDirectory,
        });
        NodeSettings settings = NodeSettings.Of(builder.Configuration);
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = MostDocumentBytes);
        builder.Services.Configure<HostOptions>(static host => host.ShutdownTimeout = TimeSpan.FromSeconds(10));
        VoronReplicaBuilder replica = builder.Services.AddVoronReplica(settings.Name, settings.Folder, settings.Configure);
        _ = settings.Log == LogPlan.Nats
            ? replica.UseJetStream(log => (log.Url, log.Stream) = (settings.Servers, "documents"))
            : replica.UseEtcd(log => (log.Endpoints, log.Name) = (settings.Servers, "documents"));
        builder.Services.AddHealthChecks().AddVoronReplica(settings.Name);
        builder.Services.AddSingleton(settings);
        builder.Services.AddSingleton<Leadership>();
        builder.Services.AddHostedService(static services => services.GetRequiredService<Leadership>());

        await using WebApplication app = builder.Build();
        app.Use(Faults.AnswerAsync);
        app.Use(RetryAfterAsync);
        app.MapHealthChecks("/health", new() { ResponseWriter = HealthPage.AnswerAsync });
        app.Lifetime.ApplicationStarted.Register(() => Console.WriteLine($"{settings.Name}: listening on {settings.Url}"));
        Map(app, settings);
        await app.RunAsync();
        return 0;
    }

    /// <summary>The replica is there when the host starts, so the addresses ask for it when they are asked.</summary>
    private static void Map(WebApplication app, NodeSettings settings)
    {
        Lazy<VersionedStore> store = new(() => new VersionedStore(app.Services.GetRequiredService<Replica>().Environment));
        Lazy<Leadership> leadership = new(app.Services.GetRequiredService<Leadership>);
        new NodeApi(store, leadership).Map(app);
        new ClusterApi(settings, leadership).Map(app);
    }

    private static Task RetryAfterAsync(HttpContext context, RequestDelegate next)
    {
        context.Response.OnStarting(static state =>
        {
            HttpResponse response = ((HttpContext)state).Response;
            if (response.StatusCode == StatusCodes.Status503ServiceUnavailable)
            {
                response.Headers.RetryAfter = new RetryConditionHeaderValue(TimeSpan.FromSeconds(1)).ToString();
            }

            return Task.CompletedTask;
        }, context);
        return next(context);
    }
}
