using System.Buffers.Binary;
using System.IO.Compression;
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
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed("Voron.Storage.*.nupkg"));
        Names(package).Should().Contain(
        [
            "lib/net10.0/Voron.Storage.dll", "lib/net10.0/Voron.Storage.xml", "lib/net10.0/Voron.Native.dll",
            "lib/net10.0/Voron.Native.xml", "README.md", "icon.png",
        ]);
        Names(package).Count(static name => name.EndsWith(".dll", StringComparison.Ordinal)).Should().Be(2, "nothing of others is in it");
        using StreamReader reader = new(package.GetEntry("README.md")!.Open());
        reader.ReadToEnd().Should().Be(Workshop.FrontPage);
    }

    [Theory]
    [InlineData("Voron.Storage")]
    [InlineData("Voron.Cli")]
    public void A_package_says_what_it_is_and_needs_no_other(string id)
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed(id + ".*.nupkg"));
        XElement metadata = XDocument.Load(package.GetEntry(id + ".nuspec")!.Open()).Root!.Elements().Single();
        XNamespace space = metadata.Name.Namespace;
        metadata.Element(space + "license")!.Value.Should().Be("MIT");
        metadata.Element(space + "readme")!.Value.Should().Be("README.md");
        metadata.Element(space + "icon")!.Value.Should().Be("icon.png");
        metadata.Element(space + "description")!.Value.Should().MatchRegex("(?i)storage").And.NotBe("Package Description");
        metadata.Descendants(space + "dependency").Should().BeEmpty();
    }

    [Fact]
    public void Symbols_lie_beside_it()
    {
        using ZipArchive symbols = ZipFile.OpenRead(workshop.Packed("Voron.Storage.*.snupkg"));
        Names(symbols).Should().Contain(["lib/net10.0/Voron.Storage.pdb", "lib/net10.0/Voron.Native.pdb"]);
    }

    [Fact]
    public void The_icon_is_a_square_of_128_pixels()
    {
        using ZipArchive package = ZipFile.OpenRead(workshop.Packed("Voron.Storage.*.nupkg"));
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
        Path.GetFileName(workshop.Packed(id + ".*.nupkg"))[(id.Length + 1)..^".nupkg".Length];

    private static IEnumerable<string> Names(ZipArchive archive) => archive.Entries.Select(static entry => entry.FullName);

    [GeneratedRegex("```csharp\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Example();
}
