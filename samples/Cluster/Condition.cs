using Microsoft.Extensions.Primitives;

namespace Voron.Samples.Cluster;

/// <summary>What a client wants to be so before it writes: <c>If-Match</c> and <c>If-None-Match</c>.</summary>
internal readonly record struct Condition(string[]? Match, string[]? NoneMatch)
{
    internal const string Any = "*";

    internal static Condition Of(IHeaderDictionary headers) => new(TagsOf(headers.IfMatch), TagsOf(headers.IfNoneMatch));

    internal static string TagOf(Guid version) => $"\"{version:N}\"";

    /// <param name="version">The version that is there; null if there is none.</param>
    internal bool Holds(Guid? version) => (Match is null || IsIn(Match, version)) && (NoneMatch is null || !IsIn(NoneMatch, version));

    private static bool IsIn(string[] tags, Guid? version) =>
        version is { } present && tags.Any(tag => tag == Any || tag == TagOf(present));

    private static string[]? TagsOf(StringValues header) => header.Count == 0
        ? null
        : [.. header.SelectMany(static line => (line ?? string.Empty).Split(',', StringSplitOptions.TrimEntries))];
}
