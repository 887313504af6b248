using System.Xml.Linq;
using FluentAssertions;
using Xunit;

namespace Voron.House.Tests.Rules;

/// <summary>
/// What is packed for programs is analysed for trimming, single files and native code made ahead of time, and has a comment on every
/// public name; each warning of these is an error, and none is switched off.
/// </summary>
public class PackedProjectTests
{
    private static readonly string[] AnalysedWarnings = ["CS1591", "CS1573", "IL2", "IL3"];

    /// <summary>A tool is no library, and brings a console and a parser of command lines along that nobody here analyses.</summary>
    private const string Tool = "Voron.Cli";

    [Fact]
    public void Libraries_are_analysed_and_commented_and_warnings_are_errors()
    {
        string root = Repository.Root;
        XElement all = XElement.Load(Path.Combine(root, "Directory.Build.props"));
        ValueOf(all, "TreatWarningsAsErrors").Should().Be("true");
        all.ToString().Should().NotContain("WarningsNotAsErrors").And.NotContain("NoWarn");
        string[] projects = [.. Directory.GetFiles(Path.Combine(root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Where(static project => Path.GetFileNameWithoutExtension(project) != Tool)];
        projects.Should().HaveCountGreaterThan(3);
        foreach (string path in projects)
        {
            XElement project = XElement.Load(path);
            ValueOf(project, "IsAotCompatible").Should().Be("true", path);
            ValueOf(project, "GenerateDocumentationFile").Should().Be("true", path);
            string quiet = string.Join(';', project.Descendants().Where(static one =>
                one.Name.LocalName is "NoWarn" or "WarningsNotAsErrors" or "TreatWarningsAsErrors").Select(static one => one.Value));
            quiet.Should().NotContainAny(AnalysedWarnings, path).And.NotContain("false", path);
            foreach (string off in (string[])["EnableTrimAnalyzer", "EnableAotAnalyzer", "EnableSingleFileAnalyzer"])
            {
                ValueOf(project, off).Should().BeNull(path);
            }
        }
    }

    private static string? ValueOf(XElement project, string name) =>
        project.Descendants().SingleOrDefault(one => one.Name.LocalName == name)?.Value;
}
