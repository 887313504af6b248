using System.Reflection;
using FluentAssertions;
using Xunit;

namespace Voron.House.Tests.Rules;

/// <summary>
/// A build or test of the solution has one configuration: release tests of an engine that is built for debugging would judge another
/// program, and take twice the time.
/// </summary>
public sealed class ConfigurationTests
{
    [Fact]
    public void What_tests_refer_to_is_built_in_their_configuration()
    {
        string? own = Configuration(typeof(ConfigurationTests).Assembly);
        own.Should().NotBeNullOrEmpty();
        string[] paths = Directory.GetFiles(AppContext.BaseDirectory, "Voron.*.dll");
        paths.Should().HaveCountGreaterThan(9);
        foreach (string path in paths)
        {
            Configuration(Assembly.LoadFrom(path)).Should().Be(own, path);
        }
    }

    private static string? Configuration(Assembly assembly) => assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()?.Configuration;
}
