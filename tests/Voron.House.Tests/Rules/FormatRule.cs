using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Voron.House.Tests.Rules;

/// <summary>The tables of docs/format.md are the code's structures, magic numbers and operation codes, to the byte.</summary>
internal static partial class FormatRule
{
    internal const string Id = "format";
    internal const string Document = "docs/format.md";

    private const BindingFlags AllFields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    private const BindingFlags AllConstants = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>
    /// Every heading "### Name (N bytes)" against the structure of that name, and every structure with an explicit layout against the
    /// headings.
    /// </summary>
    internal static IEnumerable<Finding> CheckStructures(string document, IEnumerable<Type> types)
    {
        Dictionary<string, Type> structures = types.Where(type => type.IsValueType
            && type.IsExplicitLayout).ToDictionary(type => type.Name);
        HashSet<string> described = [];
        string[] lines = document.Split('\n');
        for (int i = 0; i < lines.Length; i++)
        {
            Match heading = StructureHeading().Match(lines[i]);
            if (!heading.Success)
            {
                continue;
            }

            string name = heading.Groups["name"].Value;
            described.Add(name);
            if (!structures.TryGetValue(name, out Type? type))
            {
                yield return Complaint($"describes {name}; no structure of Voron.Storage.Format with an explicit layout has that name.");
                continue;
            }

            foreach (string difference in Compare(type, Number(heading.Groups["size"].Value), MarkdownTable.After(lines, i)))
            {
                yield return Complaint($"{name}: {difference}");
            }
        }

        foreach (string name in structures.Keys.Where(name => !described.Contains(name)))
        {
            yield return Complaint($"does not describe {name}. Write a heading '### {name} (N bytes)' and its table.");
        }
    }

    /// <summary>The table headed "name | value | where" against the constants whose names end with Magic.</summary>
    internal static IEnumerable<Finding> CheckMagic(string document, Type constants) => ComparePairs(
        "magic number",
        MarkdownTable.Headed(document, "name", "value").Select(row => (row[0], Hexadecimal(row[1]))),
        constants.GetFields(AllConstants)
            .Where(field => field.IsLiteral && field.Name.EndsWith("Magic", StringComparison.Ordinal))
            .Select(field => (field.Name, Convert.ToUInt64(field.GetRawConstantValue(), CultureInfo.InvariantCulture))));

    /// <summary>
    /// The table headed "code | operation | arguments" against the enum of the redo operations; its None is no operation.
    /// </summary>
    internal static IEnumerable<Finding> CheckOperations(string document, Type operations) => ComparePairs(
        "redo operation",
        MarkdownTable.Headed(document, "code", "operation").Select(row => (row[1], (ulong)Number(row[0]))),
        Enum.GetNames(operations)
            .Where(name => name != "None")
            .Select(name => (name, Convert.ToUInt64(Enum.Parse(operations, name), CultureInfo.InvariantCulture))));

    private static IEnumerable<string> Compare(Type type, int size, IReadOnlyList<string[]> rows)
    {
        int real = SizeOf(type);
        if (real != size)
        {
            yield return $"{size} bytes in the document, {real} in the code.";
        }

        if (type.GetField("SizeBytes", AllConstants)?.GetRawConstantValue() is not int constant || constant != real)
        {
            yield return $"needs a constant SizeBytes = {real}.";
        }

        int end = 0;
        HashSet<string> listed = [];
        foreach (string[] row in rows)
        {
            (int offset, int bytes, string name) = (Number(row[0]), Number(row[1]), row[2]);
            if (offset != end)
            {
                yield return $"{name} stands at {offset}; the row before it ends at {end}.";
            }

            end = offset + bytes;
            listed.Add(name);
            if (type.GetField(name, AllFields) is not { } field)
            {
                yield return $"the code has no field {name}.";
                continue;
            }

            int realOffset = field.GetCustomAttribute<FieldOffsetAttribute>()!.Value;
            int realBytes = SizeOf(field.FieldType);
            if (realOffset != offset || realBytes != bytes)
            {
                yield return $"{name} is {bytes} bytes at {offset} in the document, {realBytes} bytes at {realOffset} in the code.";
            }

            if (realOffset % Math.Min(realBytes, 8) != 0)
            {
                yield return $"{name} at {realOffset} is not naturally aligned.";
            }
        }

        if (end != size)
        {
            yield return $"its rows end at {end}, its heading says {size} bytes.";
        }

        foreach (FieldInfo field in type.GetFields(AllFields).Where(field => !listed.Contains(field.Name)))
        {
            yield return $"the document has no row for the field {field.Name}.";
        }
    }

    private static IEnumerable<Finding> ComparePairs(string what, IEnumerable<(string, ulong)> documented, IEnumerable<(string,
        ulong)> coded)
    {
        HashSet<(string Name, ulong Value)> inDocument = [.. documented];
        HashSet<(string Name, ulong Value)> inCode = [.. coded];
        if (inCode.Count == 0)
        {
            yield return Complaint($"has nothing in the code to compare its {what}s with.");
        }

        foreach ((string name, ulong value) in inDocument.Except(inCode))
        {
            yield return Complaint($"{what} {name} = {value} (0x{value:X}) is not in the code.");
        }

        foreach ((string name, ulong value) in inCode.Except(inDocument))
        {
            yield return Complaint($"{what} {name} = {value} (0x{value:X}) of the code is not in the document.");
        }
    }

    private static Finding Complaint(string message) => new(Id, Document, 1, message);

    private static int Number(string text) => int.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);

    private static ulong Hexadecimal(string text) =>
        ulong.Parse(text.Replace("0x", string.Empty, StringComparison.Ordinal), NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private static int SizeOf(Type type) =>
        (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!.MakeGenericMethod(type).Invoke(null, null)!;

    [GeneratedRegex(@"^### (?<name>\w+) \((?<size>\d+) bytes\)\s*$")]
    private static partial Regex StructureHeading();
}
