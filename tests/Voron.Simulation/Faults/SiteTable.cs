using System.Diagnostics;
using System.Reflection;
using Voron.Storage;
using Voron.Storage.IO;
using Voron.Storage.Transfer;
using Voron.Storage.Versions;

namespace Voron.Simulation.Faults;

/// <summary>
/// All call sites of the disk seam and of native memory, read from the engine's compiled code: a new one is in the table without anybody
/// thinking of it. Which site a call comes from is seen on the stack; that is exact only in a process whose compiler inlines nothing.
/// </summary>
internal sealed class SiteTable
{
    private const BindingFlags Declared = BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.Instance | BindingFlags.Static;

    /// <summary>Members of the seam that cannot fail on a simulated disk.</summary>
    private static readonly string[] Infallible =
    [
        "get_Path", "get_IsUnbuffered", "get_FlushesWrites", "get_CachePageBytes",
        nameof(IDisk.FillRandom), nameof(IDisk.CreateWriteInFlight),
        nameof(IDisk.HoldDirectory), nameof(IDisk.FindDoubt), nameof(IDiskFile.FindLockHolder), nameof(IDiskFile.ForgetCached),
        nameof(IDiskFile.TryLockSlot), nameof(IDiskFile.IsSlotLocked),
        nameof(IDiskFile.ExpectRandomReads), nameof(IDiskFile.ReadAhead), nameof(IDiskFile.IsInMemory),
        nameof(IDisposable.Dispose),
    ];

    private readonly Dictionary<(int Method, string Operation), CallSite[]> _byMethod;

    internal SiteTable(Assembly engine)
    {
        Engine = engine;
        Sites = [.. engine.GetTypes().SelectMany(MethodsOf).SelectMany(SitesOf).OrderBy(static site => site.Id, StringComparer.Ordinal)];
        _byMethod = Sites.GroupBy(static site => (site.MethodToken, site.Operation))
            .ToDictionary(static group => group.Key, static group => group.OrderBy(static site => site.Offset).ToArray());
    }

    internal Assembly Engine { get; }

    internal IReadOnlyList<CallSite> Sites { get; }

    /// <summary>The site that the running call of the seam comes from; null when the engine is not on the stack.</summary>
    internal CallSite? Caller(string operation)
    {
        foreach (StackFrame frame in new StackTrace(2, fNeedFileInfo: false).GetFrames())
        {
            if (frame.GetMethod() is { } method
                && method.Module.Assembly == Engine
                && _byMethod.TryGetValue((method.MetadataToken, operation), out CallSite[]? sites))
            {
                // The frame points at the start of the statement or at the call itself, never behind it.
                return sites.FirstOrDefault(site => site.Offset >= frame.GetILOffset()) ?? sites[^1];
            }
        }

        return null;
    }

    private static IEnumerable<MethodBase> MethodsOf(Type type) =>
        [.. type.GetMethods(Declared), .. type.GetConstructors(Declared)];

    private static IEnumerable<CallSite> SitesOf(MethodBase method)
    {
        if (method.GetCustomAttributes<ConditionalAttribute>().Any()
            || method.DeclaringType == typeof(NativeDiskFile)
            || method.DeclaringType == typeof(ProcessSlots)
            || (method.DeclaringType == typeof(DataFile) && method.Name == nameof(DataFile.FollowLength))
            || method.DeclaringType == typeof(CopyFolder)
            || method.DeclaringType?.DeclaringType == typeof(CopyFolder))
        {
            // Breaks a rule on purpose, in another build; or belongs to real files, which the simulated disk stands for; or renames a
            // folder, which the simulated disk cannot: CopyTests refuse those calls; or is about slots, which it does not have.
            yield break;
        }

        (int Offset, string Operation)[] calls = [.. MethodCalls.Of(method)
            .Select(call => (call.Offset, Operation: OperationOf(call.Target, method)))
            .Where(static call => call.Operation is not null)
            .Select(static call => (call.Offset, call.Operation!))];
        foreach ((int offset, string operation) in calls)
        {
            int[] same = [.. calls.Where(call => call.Operation == operation).Select(static call => call.Offset)];
            string number = same.Length == 1 ? string.Empty : $" #{Array.IndexOf(same, offset) + 1}";
            yield return new CallSite($"{NameOf(method)} {operation}{number}", operation, method.MetadataToken, offset);
        }
    }

    private static string? OperationOf(MethodBase target, MethodBase caller)
    {
        if (target.DeclaringType == typeof(IDisk) || target.DeclaringType == typeof(IDiskFile))
        {
            return Infallible.Contains(target.Name) ? null : target.Name;
        }

        bool isMemory = target.DeclaringType == typeof(SystemMemory)
            ? target.Name is nameof(SystemMemory.AllocateZeroed) or nameof(SystemMemory.IsRefused)
            : target.DeclaringType == typeof(AlignedBuffer) && target.Name.StartsWith("Allocate", StringComparison.Ordinal);
        bool isInside = caller.DeclaringType == typeof(SystemMemory) || caller.DeclaringType == typeof(AlignedBuffer);
        return isMemory && !isInside ? CallSite.Memory : null;
    }

    /// <summary>"Room/Type.Method"; a lambda counts for the method that it stands in.</summary>
    private static string NameOf(MethodBase method)
    {
        Type type = method.DeclaringType!;
        while (type.DeclaringType is { } outer)
        {
            type = outer;
        }

        string name = method.Name.StartsWith('<') ? method.Name[1..method.Name.IndexOf('>', StringComparison.Ordinal)] : method.Name;
        string room = type.Namespace!.Split('.')[^1];
        return $"{room}/{type.Name}.{name}";
    }
}
