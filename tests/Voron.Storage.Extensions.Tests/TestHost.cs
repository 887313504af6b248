using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Voron.Storage.Tests.Doors;

namespace Voron.Storage.Extensions.Tests;

/// <summary>A host with a folder of its own, a configuration of its own and nothing of the machine's, and what it has logged.</summary>
internal sealed class TestHost : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly Lazy<IHost> _host;

    internal TestHost(params (string Key, string Value)[] configuration)
    {
        Builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ContentRootPath = _folder.Path });
        Builder.Configuration.AddInMemoryCollection(
            configuration.GroupBy(static pair => pair.Key)
                .Select(static group => new KeyValuePair<string, string?>(group.Key, group.Last().Value)));
        Builder.Logging.AddProvider(Log);
        _host = new Lazy<IHost>(() => Builder.Build());
    }

    internal HostApplicationBuilder Builder { get; }

    internal IServiceCollection Services => Builder.Services;

    internal LogLines Log { get; } = new();

    internal string Folder => _folder.Path;

    internal IHost Running => _host.Value;

    internal IServiceProvider Provider => _host.Value.Services;

    internal StorageEnvironment Storage => Provider.GetRequiredService<StorageEnvironment>();

    internal string At(string name) => Path.Combine(_folder.Path, name);

    internal async Task<TestHost> StartAsync()
    {
        await Running.StartAsync();
        return this;
    }

    public void Dispose()
    {
        if (_host.IsValueCreated)
        {
            _host.Value.Dispose();
        }

        _folder.Dispose();
    }
}
