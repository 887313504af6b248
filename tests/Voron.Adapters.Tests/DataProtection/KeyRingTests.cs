using FluentAssertions;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.DataProtection.KeyManagement;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Voron.Storage;
using Voron.Storage.DataProtection;
using Voron.Storage.Extensions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Adapters.Tests.DataProtection;

/// <summary>Data Protection itself over a key ring in a tree.</summary>
public sealed class KeyRingTests
{
    [Fact]
    public async Task What_was_protected_before_a_restart_is_read_after_it()
    {
        using TemporaryFolder folder = new();
        byte[] sealedBytes;
        using (IHost first = await StartAsync(folder.Path))
        {
            sealedBytes = first.Services.GetDataProtector("cookies").Protect("Ada"u8.ToArray());
            await first.StopAsync();
        }

        using IHost second = await StartAsync(folder.Path);
        second.Services.GetDataProtector("cookies").Unprotect(sealedBytes).Should().Equal("Ada"u8.ToArray());
        IKeyManager keys = second.Services.GetRequiredService<IKeyManager>();
        keys.GetAllKeys().Should().ContainSingle();
        using ReadTransaction read = second.Services.GetRequiredService<StorageEnvironment>().BeginRead();
        read.OpenTree(VoronXmlRepository.DefaultTreeName).Count.Should().Be(1);
    }

    [Fact]
    public void Keys_are_created_revoked_and_deleted()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using ServiceProvider services = Services(environment);
        IKeyManager keys = services.GetRequiredService<IKeyManager>();
        DateTimeOffset now = DateTimeOffset.UtcNow;
        IKey first = keys.CreateNewKey(now, now.AddDays(30));
        IKey second = keys.CreateNewKey(now, now.AddDays(30));
        keys.RevokeKey(first.KeyId, "lost");
        using ServiceProvider others = Services(environment);
        IKeyManager seen = others.GetRequiredService<IKeyManager>();
        seen.GetAllKeys().Select(static key => (key.KeyId, key.IsRevoked)).Should().BeEquivalentTo(
            [(first.KeyId, true), (second.KeyId, false)]);
        XmlKeyManager deleting = seen.Should().BeOfType<XmlKeyManager>().Subject;
        deleting.CanDeleteKeys.Should().BeTrue();
        deleting.DeleteKeys(key => key.KeyId == first.KeyId).Should().BeTrue();
        seen.GetAllKeys().Should().ContainSingle().Which.KeyId.Should().Be(second.KeyId);
    }

    [Fact]
    public void An_environment_with_a_key_and_a_tree_of_another_name_are_used()
    {
        ServiceCollection services = new();
        services.AddKeyedVoronStorage("keys", static options => options.InMemory = true);
        services.AddDataProtection().PersistKeysToVoron(
            static provider => provider.GetRequiredKeyedService<StorageEnvironment>("keys"), "ring");
        using ServiceProvider provider = services.BuildServiceProvider();
        provider.GetDataProtector("x").Protect("y"u8.ToArray());
        using ReadTransaction read = provider.GetRequiredKeyedService<StorageEnvironment>("keys").BeginRead();
        read.TreeNames.Should().Equal("ring");
    }

    [Fact]
    public void Wrong_arguments_are_refused_at_once()
    {
        IDataProtectionBuilder builder = new ServiceCollection().AddDataProtection();
        ((Action)(() => builder.PersistKeysToVoron(string.Empty))).Should().Throw<ArgumentException>();
        ((Action)(() => builder.PersistKeysToVoron((StorageEnvironment)null!))).Should().Throw<ArgumentNullException>();
        ((Action)(() => builder.PersistKeysToVoron((Func<IServiceProvider, StorageEnvironment>)null!)))
            .Should().Throw<ArgumentNullException>();
        ((Action)(() => VoronDataProtection.PersistKeysToVoron(null!))).Should().Throw<ArgumentNullException>();
    }

    private static ServiceProvider Services(StorageEnvironment environment)
    {
        ServiceCollection services = new();
        services.AddDataProtection().PersistKeysToVoron(environment);
        return services.BuildServiceProvider();
    }

    private static async Task<IHost> StartAsync(string folder)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddVoronStorage(options => options.Path = folder);
        builder.Services.AddDataProtection().SetApplicationName("tests").PersistKeysToVoron();
        IHost host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
