using System.Buffers.Binary;
using System.IO.Compression;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using FluentAssertions;
using Xunit;

namespace Voron.Package.Tests;

/// <summary>The packed files hold what a package should, and a newcomer's first program runs on nothing else.</summary>
public sealed partial class PackageTests(Workshop workshop) : IClassFixture<Workshop>
{
    private const string Printed = "user:42 = {\"name\":\"Ada\"}";

    [Fact]
    public void The_engine_and_its_natives_lie_in_one_package_with_their_documents()
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed("Voron.Storage.0.*.nupkg"));
        Names(package).Should().Contain(
        [
            "lib/net10.0/Voron.Storage.dll", "lib/net10.0/Voron.Storage.xml", "lib/net10.0/Voron.Native.dll",
            "lib/net10.0/Voron.Native.xml", "README.md", "icon.png",
        ]);
        Names(package).Count(static name => name.EndsWith(".dll", StringComparison.Ordinal)).Should().Be(2, "nothing of others is in it");
    }

    /// <summary>Where a package is shown there is no repository: relative links lead nowhere, and pictures are missing.</summary>
    [Theory]
    [InlineData("Voron.Storage", "# Voron.Storage")]
    [InlineData("Voron.Cli", "# The command line tool")]
    [InlineData("Voron.Storage.Typed", "# Typed trees")]
    [InlineData("Voron.Storage.Akka", "# Akka.Persistence")]
    [InlineData("Voron.Storage.DataProtection", "# Keys of Data Protection")]
    [InlineData("Voron.Storage.Orleans", "# Grains and reminders of Orleans")]
    [InlineData("Voron.Storage.Replication", "# Replicas")]
    [InlineData("Voron.Storage.Replication.Etcd", "# Carriers of replicas")]
    [InlineData("Voron.Storage.Replication.Nats", "# Carriers of replicas")]
    [InlineData("Voron.Storage.Extensions", "# In .NET services")]
    public void The_front_page_of_a_package_has_no_dead_link(string id, string title)
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed(id + ".0.*.nupkg"));
        using StreamReader reader = new(package.GetEntry("README.md")!.Open());
        string page = reader.ReadToEnd();
        page.Should().StartWith(title);
        AnyLink().Matches(page).Select(static link => link.Value)
            .Should().NotContain(static link => !link.StartsWith("](https://", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Voron.Storage", "^$")]
    [InlineData("Voron.Cli", "^$")]
    [InlineData("Voron.Storage.Typed", "^Voron.Storage$")]
    [InlineData("Voron.Storage.Akka", "^(Voron.Storage|Akka.Persistence(.Query)?)$")]
    [InlineData("Voron.Storage.DataProtection", "^(Voron.Storage|Microsoft.AspNetCore.DataProtection)$")]
    [InlineData("Voron.Storage.Orleans", "^(Voron.Storage|Microsoft.Orleans.(Sdk|Reminders))$")]
    [InlineData("Voron.Storage.Replication", "^(Voron.Storage|Microsoft.Extensions..*)$")]
    [InlineData("Voron.Storage.Replication.Etcd", "^(Voron.Storage.Replication|dotnet-etcd)$")]
    [InlineData("Voron.Storage.Replication.Nats", "^(Voron.Storage.Replication|NATS.Client.JetStream|NATS.Client.ObjectStore)$")]
    [InlineData("Voron.Storage.Extensions", "^(Voron.Storage(.Typed)?|Microsoft.Extensions..*)$")]
    public void A_package_says_what_it_is_and_what_it_needs(string id, string needed)
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed(id + ".0.*.nupkg"));
        XElement metadata = XDocument.Load(package.GetEntry(id + ".nuspec")!.Open()).Root!.Elements().Single();
        XNamespace space = metadata.Name.Namespace;
        metadata.Element(space + "license")!.Value.Should().Be("MIT");
        metadata.Element(space + "readme")!.Value.Should().Be("README.md");
        metadata.Element(space + "icon")!.Value.Should().Be("icon.png");
        metadata.Element(space + "description")!.Value.Should().MatchRegex("(?i)storage").And.NotBe("Package Description");
        string[] needs = [.. metadata.Descendants(space + "dependency").Select(static one => one.Attribute("id")!.Value)];
        needs.DefaultIfEmpty("").Should().OnlyContain(one => Regex.IsMatch(one, needed));
    }

    /// <summary>No address is named before there is one.</summary>
    [Theory]
    [InlineData("Voron.Storage")]
    [InlineData("Voron.Cli")]
    public void A_package_has_the_release_notes_of_its_version_and_no_invented_address(string id)
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed(id + ".0.*.nupkg"));
        XElement metadata = XDocument.Load(package.GetEntry(id + ".nuspec")!.Open()).Root!.Elements().Single();
        XNamespace space = metadata.Name.Namespace;
        metadata.Element(space + "releaseNotes")!.Value.Should().Contain("### Added").And.NotContain("\n## ");
        metadata.Element(space + "projectUrl").Should().BeNull();
        metadata.Element(space + "repository")?.Attribute("url").Should().BeNull();
    }

    /// <summary>One property names the repository; the front page of a document in a folder begins its links there.</summary>
    [Fact]
    public void With_an_address_a_package_names_it_and_its_links_lead_there()
    {
        string folder = workshop.Folder("addressed");
        Workshop.Pack("Voron.Storage.Typed", folder, "-p:RepositoryUrl=https://example.org/it");
        using ZipArchive package = ZipFile.OpenRead(Directory.GetFiles(folder, "*.nupkg").Should().ContainSingle().Subject);
        XElement metadata = XDocument.Load(package.GetEntry("Voron.Storage.Typed.nuspec")!.Open()).Root!.Elements().Single();
        XNamespace space = metadata.Name.Namespace;
        metadata.Element(space + "projectUrl")!.Value.Should().Be("https://example.org/it");
        metadata.Element(space + "repository")!.Attribute("url")!.Value.Should().Be("https://example.org/it");
        using StreamReader reader = new(package.GetEntry("README.md")!.Open());
        reader.ReadToEnd().Should().Contain("](https://example.org/it/blob/HEAD/docs/../samples/Worker/JsonCodec.cs)");
    }

    /// <summary>The one assembly has the calls of every system; what it would take to have one more is a file more in its source.</summary>
    [Fact]
    public void The_natives_in_it_have_the_calls_of_every_system()
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed("Voron.Storage.0.*.nupkg"));
        using MemoryStream natives = new();
        using (Stream entry = package.GetEntry("lib/net10.0/Voron.Native.dll")!.Open())
        {
            entry.CopyTo(natives);
        }

        natives.Position = 0;
        using PEReader file = new(natives);
        file.PEHeaders.CorHeader!.Flags.Should().HaveFlag(CorFlags.ILOnly);
        file.PEHeaders.CoffHeader.Machine.Should().Be(Machine.I386, "that is how a file says that it is for every processor");
        MetadataReader reader = file.GetMetadataReader();
        HashSet<string> calls = [.. reader.MethodDefinitions.Select(reader.GetMethodDefinition)
            .Where(static method => method.Attributes.HasFlag(MethodAttributes.PinvokeImpl))
            .Select(method => reader.GetString(method.GetImport().Name))];
        calls.Should().Contain(["fallocate", "fdatasync", "syscall"], "of Linux")
            .And.Contain(["CreateFileW", "FlushFileBuffers", "LockFileEx"], "of Windows")
            .And.Contain(["fcntl", "flock", "fstat$INODE64", "readdir$INODE64", "fstatfs$INODE64"], "of macOS");
    }

    [Fact]
    public void Symbols_lie_beside_it()
    {
        using ZipArchive symbols = ZipFile.OpenRead(workshop.Packed("Voron.Storage.0.*.snupkg"));
        Names(symbols).Should().Contain(["lib/net10.0/Voron.Storage.pdb", "lib/net10.0/Voron.Native.pdb"]);
    }

    [Fact]
    public void The_icon_is_a_square_of_128_pixels()
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed("Voron.Storage.0.*.nupkg"));
        byte[] head = new byte[24];
        using Stream icon = package.GetEntry("icon.png")!.Open();
        icon.ReadExactly(head);
        head.AsSpan(1, 3).SequenceEqual("PNG"u8).Should().BeTrue();
        BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(16)).Should().Be(128);
        BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(20)).Should().Be(128);
    }

    [Fact]
    public void The_example_of_the_front_page_runs_in_a_fresh_project()
    {
        workshop.Write("hello/hello.csproj", $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Voron.Storage" Version="{VersionOf("Voron.Storage")}" />
              </ItemGroup>
            </Project>
            """);
        workshop.Write("hello/Program.cs", Example().Match(Workshop.FrontPage).Groups["code"].Value);
        workshop.Dotnet("hello", "build", "-c", "Release", "-o", "out");
        Workshop.FrontPage.Should().Contain($"It prints `{Printed}`.");
        workshop.Dotnet("hello", Path.Combine("out", "hello.dll")).Trim().Should().Be(Printed);
        File.Exists(workshop.Folder("hello/data/data.voron")).Should().BeTrue();
        workshop.Dotnet("hello", Path.Combine("out", "hello.dll")).Trim().Should().Be(Printed, "it was there, and is replaced by itself");
        LookWithTool(workshop.Folder("hello/data"));
    }

    /// <summary>The tool, installed from its packed file, finds what the example has stored.</summary>
    private void LookWithTool(string database)
    {
        string tools = workshop.Folder("tools");
        workshop.Dotnet(".", "tool", "install", "Voron.Cli", "--tool-path", tools, "--version", VersionOf("Voron.Cli"));
        string voron = Path.Combine(tools, OperatingSystem.IsWindows() ? "voron.exe" : "voron");
        workshop.Run(voron, tools, "check", database).Should().StartWith("Sound: ");
        workshop.Run(voron, tools, "get", database, "users", "user:42").Should().Be("{\"name\":\"Ada\"}");
    }

    private string VersionOf(string id) =>
        Path.GetFileName(workshop.Packed(id + ".0.*.nupkg"))[(id.Length + 1)..^".nupkg".Length];

    private static IEnumerable<string> Names(ZipArchive archive) => archive.Entries.Select(static entry => entry.FullName);

    [GeneratedRegex(@"\]\([^)]*\)")]
    private static partial Regex AnyLink();

    [GeneratedRegex("```csharp\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Example();
}
