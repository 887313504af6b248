namespace Voron.Storage.Tests.Guards;

/// <summary>The test leaves exactly this behind on purpose, in the words of the check for leaks.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LeavesBehindAttribute(string what) : Attribute
{
    internal string What => what;
}
