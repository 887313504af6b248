using System.Globalization;
using System.Reflection;

namespace Voron.House.Tests.Rules;

/// <summary>
/// The public surface of an assembly as sorted lines: one for each type and each member that a user can call, override or read.
/// </summary>
internal static class PublicApi
{
    private const BindingFlags Declared =
        BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static;

    internal static IReadOnlyList<string> Of(IEnumerable<Type> types)
    {
        SortedSet<string> lines = new(StringComparer.Ordinal);
        // What the compiler adds for extension members has no name that a user could write; the members are methods of their class.
        foreach (Type type in types.Where(static type => !type.IsSpecialName && type.DeclaringType?.IsSpecialName != true))
        {
            lines.Add(Head(type));
            lines.UnionWith(Members(type).Select(member => $"{ApiName.Of(type)}.{member}"));
        }

        return [.. lines];
    }

    private static string Head(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => $"enum({ApiName.Of(Enum.GetUnderlyingType(type))})",
            { IsInterface: true } => "interface",
            { IsValueType: true } => (Has(type.GetCustomAttributesData(), "IsReadOnlyAttribute")
                ? "readonly " : string.Empty) + (type.IsByRefLike ? "ref struct" : "struct"),
            _ when typeof(Delegate).IsAssignableFrom(type) => "delegate",
            { IsAbstract: true, IsSealed: true } => "static class",
            _ => (type.IsAbstract ? "abstract " : type.IsSealed ? "sealed " : string.Empty) + "class",
        };
        IEnumerable<Type> bases = type.IsEnum || kind == "delegate"
            ? [] : type.GetInterfaces().Except(type.BaseType?.GetInterfaces() ?? [])
                .Where(i => i.IsVisible).OrderBy(ApiName.Of, StringComparer.Ordinal);
        if (type is { IsClass: true, BaseType: { } parent } && parent != typeof(object) && kind != "delegate")
        {
            bases = bases.Prepend(parent);
        }

        string after = string.Join(", ", bases.Select(ApiName.Of));
        return $"{ApiName.Of(type)} : {kind}{(after.Length == 0 ? string.Empty : " : " + after)}";
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
        {
            return type.GetFields(BindingFlags.Public | BindingFlags.Static)
                .Select(field => $"{field.Name} = {Text(field)}");
        }

        return type.GetFields(Declared).Where(IsOpen).Select(Field)
            .Concat(type.GetConstructors(Declared)
                .Where(IsOpen).Select(constructor => $"{Reach(constructor)}new({Parameters(constructor)})"))
            .Concat(type.GetProperties(Declared).Select(Property).OfType<string>())
            .Concat(type.GetEvents(Declared)
                .Where(@event => IsOpen(@event.AddMethod!))
                    .Select(@event => $"event {@event.Name} : {ApiName.Of(@event.EventHandlerType!)}"))
            .Concat(type.GetMethods(Declared).Where(method => IsOpen(method) && (!method.IsSpecialName
                || IsOperator(method))).Select(Method));
    }

    private static string Field(FieldInfo field) => (field.IsLiteral ? "const " : field.IsStatic ? "static " : string.Empty)
        + (field.IsInitOnly ? "readonly " : string.Empty)
        + $"{field.Name} : {ApiName.Of(field.FieldType)}"
        + (field.IsLiteral ? $" = {Text(field)}" : string.Empty);

    private static string? Text(FieldInfo constant) => Convert.ToString(constant.GetRawConstantValue(), CultureInfo.InvariantCulture);

    private static string? Property(PropertyInfo property)
    {
        MethodInfo[] accessors = [.. property.GetAccessors(true).Where(IsOpen)];
        if (accessors.Length == 0)
        {
            return null;
        }

        string verbs = string.Concat(accessors.Select(accessor => accessor.Name.StartsWith("get_", StringComparison.Ordinal) ? " get;"
            : accessor.ReturnParameter.GetRequiredCustomModifiers().Length > 0 ? " init;" : " set;"));
        string index = property.GetIndexParameters().Length == 0
            ? string.Empty : $"[{string.Join(", ", property.GetIndexParameters().Select(Parameter))}]";
        return $"{Reach(accessors[0])}{property.Name}{index} : {ApiName.Of(property.PropertyType)} {{{verbs} }}";
    }

    private static string Method(MethodInfo method)
    {
        string generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(ApiName.Of))}>" : string.Empty;
        return $"{Reach(method)}{method.Name}{generic}({Parameters(method)}) : {ApiName.Of(method.ReturnType)}";
    }

    private static string Reach(MethodBase method) => (method.IsPublic ? string.Empty : "protected ")
        + (method.IsStatic ? "static " : string.Empty)
        + (method is { IsAbstract: true, DeclaringType.IsInterface: false }
            ? "abstract " : method is { IsVirtual: true, IsFinal: false } ? "virtual " : string.Empty);

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        string way = parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? (parameter.IsIn ? "in " : "ref ") : string.Empty;
        string scope = Has(parameter.GetCustomAttributesData(), "ScopedRefAttribute") ? "scoped " : string.Empty;
        Type type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        string end = parameter.HasDefaultValue ? $" = {parameter.RawDefaultValue ?? "default"}" : string.Empty;
        return $"{scope}{way}{ApiName.Of(type)} {parameter.Name}{end}";
    }

    /// <summary>By name: the compiler may have put its own copy of the attribute into the assembly.</summary>
    private static bool Has(IList<CustomAttributeData> attributes, string name) => attributes.Any(data => data.AttributeType.Name == name);

    private static bool IsOpen(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;

    private static bool IsOpen(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsOperator(MethodInfo method) => method.Name.StartsWith("op_", StringComparison.Ordinal);
}
