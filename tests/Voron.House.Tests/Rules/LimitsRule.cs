using System.Globalization;
using System.Reflection;
using Voron.Storage;

namespace Voron.House.Tests.Rules;

/// <summary>
/// The tables of docs/limits.md are the code's numbers. A row of the first table names where its value comes from: a constant, a default
/// of the options, or a member of what an open database says. A row of the second one is a page size and the longest key that goes with it.
/// </summary>
internal static class LimitsRule
{
    internal const string Id = "limits";
    internal const string Document = "docs/limits.md";

    private const BindingFlags Any = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    internal static IEnumerable<Finding> CheckValues(string document, Assembly engine)
    {
        IReadOnlyList<string[]> rows = MarkdownTable.Headed(document, "limit", "value", "source");
        if (rows.Count == 0)
        {
            yield return new Finding(Id, Document, 1, "has no table 'limit | value | source'.");
        }

        foreach (string[] row in rows)
        {
            string source = row[2].Trim('`');
            decimal? real = Resolve(engine, source);
            if (real is null)
            {
                yield return new Finding(Id, Document, 1, $"{row[0]}: the code has no {source}.");
            }
            else if (Number(row[1]) != real)
            {
                yield return new Finding(Id, Document, 1, $"{row[0]}: '{row[1]}' in the document, {real} in the code ({source}).");
            }
        }
    }

    internal static IEnumerable<Finding> CheckKeys(string document, Func<int, StorageLimits> limitsOf) =>
        from row in MarkdownTable.Headed(document, "page size", "longest key")
        let page = (int)Number(row[0])
        where limitsOf(page).MaxKeyBytes != Number(row[1])
        select new Finding(Id, Document, 1, $"pages of {page}: '{row[1]}' in the document, {limitsOf(page).MaxKeyBytes} in the code.");

    /// <summary>The number that a cell begins with.</summary>
    internal static decimal Number(string cell) =>
        decimal.Parse(cell.Split(' ')[0], NumberStyles.AllowThousands | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture);

    /// <summary>Type.Member or Type.Member.Member; null when there is no such thing. Times count in seconds.</summary>
    private static decimal? Resolve(Assembly engine, string source)
    {
        string[] parts = source.Split('.');
        Type? type = engine.GetTypes().FirstOrDefault(type => type.Name == parts[0]);
        object? value = type is null || type.IsAbstract || type.GetConstructor([]) is null ? null : Activator.CreateInstance(type);
        if (type == typeof(StorageLimits))
        {
            using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
            value = environment.Limits;
        }

        foreach (string part in parts.Skip(1))
        {
            Type? owner = value?.GetType() ?? type;
            value = owner?.GetField(part, Any)?.GetValue(value) ?? owner?.GetProperty(part, Any)?.GetValue(value);
            if (value is null)
            {
                return null;
            }
        }

        return value is TimeSpan time ? (decimal)time.TotalSeconds : Convert.ToDecimal(value, CultureInfo.InvariantCulture);
    }
}
