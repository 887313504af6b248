using System.Globalization;

namespace Voron.House.Tests.Rules;

/// <summary>
/// A type's name as a line of the public surface spells it: with its namespace, its generic arguments, and no framework noise.
/// </summary>
internal static class ApiName
{
    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void", [typeof(bool)] = "bool", [typeof(byte)] = "byte", [typeof(char)] = "char", [typeof(short)] = "short",
        [typeof(ushort)] = "ushort", [typeof(int)] = "int", [typeof(uint)] = "uint", [typeof(long)] = "long", [typeof(ulong)] = "ulong",
        [typeof(nint)] = "nint", [typeof(nuint)] = "nuint", [typeof(float)] = "float", [typeof(double)] = "double",
            [typeof(string)] = "string",
        [typeof(object)] = "object",
    };

    internal static string Of(Type type)
    {
        if (Keywords.TryGetValue(type, out string? keyword))
        {
            return keyword;
        }

        if (type.IsGenericParameter)
        {
            return type.Name;
        }

        if (type.HasElementType)
        {
            string after = type.IsArray ? $"[{new string(',', type.GetArrayRank() - 1)}]" : type.IsPointer ? "*" : "&";
            return Of(type.GetElementType()!) + after;
        }

        if (Nullable.GetUnderlyingType(type) is { } inner)
        {
            return Of(inner) + "?";
        }

        string prefix = type.DeclaringType is { } outer ? Of(outer) + "." : type.Namespace is { } space ? space + "." : string.Empty;
        int tick = type.Name.IndexOf('`', StringComparison.Ordinal);
        if (tick < 0)
        {
            return prefix + type.Name;
        }

        int own = int.Parse(type.Name.AsSpan(tick + 1), NumberStyles.None, CultureInfo.InvariantCulture);
        return $"{prefix}{type.Name[..tick]}<{string.Join(", ", type.GetGenericArguments()[^own..].Select(Of))}>";
    }
}
