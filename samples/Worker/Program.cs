using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Voron.Samples.Worker;
using Voron.Storage;
using Voron.Storage.Extensions;

// An event log that keeps so much of the past, and forgets what is older with DeleteRange.
//   dotnet run --project samples/Worker -- --Log:Events 1000 --Log:Keep 00:00:01
HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
LogSettings settings = builder.Configuration.GetSection("Log").Get<LogSettings>() ?? new LogSettings();
string folder = builder.Configuration["Storage:Path"] ?? "data";

builder.Services.AddVoronStorage(options => options.Path = folder);
builder.Services.AddSingleton(settings);
builder.Services.AddSingleton<EventLog>();
builder.Services.AddSingleton<Retention>();
builder.Services.AddHostedService(static provider => provider.GetRequiredService<Retention>());
builder.Services.AddHostedService<Producer>();

using IHost host = builder.Build();
await host.RunAsync();
