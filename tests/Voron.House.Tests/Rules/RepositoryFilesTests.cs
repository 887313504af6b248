using System.Text.RegularExpressions;
using Voron.Storage.Format;
using YamlDotNet.RepresentationModel;

namespace Voron.House.Tests.Rules;

/// <summary>What a visitor of the repository sees first says what is there: the front page, the promise, the workflows.</summary>
public sealed partial class RepositoryFilesTests
{
    /// <summary>CI and the documents rely on these two lines as they are.</summary>
    [Fact]
    public void The_front_page_shows_the_two_commands_an_example_and_a_chart_before_its_first_heading()
    {
        string page = Documents.Text("README.md");
        string screen = page[..page.IndexOf("\n## ", StringComparison.Ordinal)];
        screen.Should().Contain("```sh\ndotnet run -c Release --project bench/Voron.Bench\ndotnet test -c Release\n```\n")
            .And.Contain("```csharp\n").And.Contain("](docs/results/readme.svg)").And.Contain("](docs/versions.md)");
        screen.Split('\n').Should().HaveCountLessThan(70, "it is one screen");
    }

    [Fact]
    public void Tests_that_the_front_page_names_exist()
    {
        string sources = string.Concat(Repository.Files("tests", ".cs").Select(static file => file.Text));
        string[] named = [.. NamedTest().Matches(Documents.Text("README.md")).Select(static match => match.Groups["name"].Value)];
        named.Should().HaveCountGreaterThan(4);
        foreach (string name in named.SelectMany(static one => one.Split('.')))
        {
            sources.Should().MatchRegex($@"\b{name}\b");
        }
    }

    [Fact]
    public void The_promise_is_about_the_format_that_there_is() =>
        Documents.Text("docs/versions.md").Should().Contain($"file format {FormatConstants.FormatVersion} ");

    [Fact]
    public void Workflows_are_whole_and_run_what_is_in_the_repository()
    {
        SourceFile[] workflows = [.. Repository.Files(".github/workflows", ".yml")];
        workflows.Should().HaveCount(2);
        foreach (SourceFile workflow in workflows)
        {
            YamlMappingNode root = Parse(workflow.Text);
            root.Children.Keys.Select(static key => key.ToString()).Should().Contain(["name", "on", "permissions", "jobs"], workflow.Path);
            foreach (YamlMappingNode job in Node<YamlMappingNode>(root, "jobs").Children.Values.Cast<YamlMappingNode>())
            {
                job.Children.Keys.Select(static key => key.ToString())
                    .Should().Contain(["runs-on", "timeout-minutes", "steps"], workflow.Path);
                Steps(job).Should().OnlyContain(
                    static step => step.Children.ContainsKey("uses") ^ step.Children.ContainsKey("run"), workflow.Path);
            }

            foreach (Match path in RunPath().Matches(workflow.Text))
            {
                string full = Path.Combine(Repository.Root, path.Groups["path"].Value);
                (File.Exists(full) || Directory.Exists(full)).Should().BeTrue("{0} runs {1}", workflow.Path, path.Value);
            }
        }
    }

    [Fact]
    public void The_contents_of_the_site_list_every_page()
    {
        string[] listed = [.. Listed().Matches(Documents.Text("docs/toc.yml")).Select(static match => match.Groups["page"].Value)];
        listed.Should().OnlyHaveUniqueItems();
        Repository.Files("docs", ".md").Where(static page => !page.IsUnder("docs/results") && !page.IsUnder("docs/site"))
            .Select(static page => page.Path["docs/".Length..]).Should().BeSubsetOf(listed);
    }

    private static YamlMappingNode Parse(string text)
    {
        YamlStream stream = [];
        stream.Load(new StringReader(text));
        return (YamlMappingNode)stream.Documents.Should().ContainSingle().Subject.RootNode;
    }

    private static IEnumerable<YamlMappingNode> Steps(YamlMappingNode job) =>
        Node<YamlSequenceNode>(job, "steps").Children.Cast<YamlMappingNode>();

    private static T Node<T>(YamlMappingNode parent, string name)
        where T : YamlNode => (T)parent.Children[name];

    [GeneratedRegex(@"`(?<name>[A-Z]\w+Tests(\.\w+)?)`")]
    private static partial Regex NamedTest();

    [GeneratedRegex(@"href: (?<page>\S+)")]
    private static partial Regex Listed();

    [GeneratedRegex(@"^ +- run: (dotnet test -c Release )?(?<path>(tests/|\.ci/)[\w./]+)$", RegexOptions.Multiline)]
    private static partial Regex RunPath();
}
