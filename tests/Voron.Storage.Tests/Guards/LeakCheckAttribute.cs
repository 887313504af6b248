#if CHECKED
using System.Reflection;
using Voron.Storage.Tests.Guards;
using Xunit;
using Xunit.v3;

[assembly: Parallelization(Mode = Xunit.Sdk.ParallelMode.None)]
[assembly: LeakCheck]

namespace Voron.Storage.Tests.Guards;

/// <summary>
/// In the checked build no test leaves anything behind that the engine has to give back; one that does fails. Tests run one at a time for
/// it, since the counts are those of the process. What the test's object holds is disposed before the look, and once more by the runner.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class LeakCheckAttribute : BeforeAfterTestAttribute
{
    private static Held _before;

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        try
        {
            (TestContext.Current.TestClassInstance as IDisposable)?.Dispose();
        }
        finally
        {
            // What was left is the next test's beginning: one leak is one failure.
            string? left = Held.LeftSince(_before);
            _before = Held.Now;
            string? expected = methodUnderTest.GetCustomAttribute<LeavesBehindAttribute>()?.What;
            Assert.True(left == expected, $"{test.TestDisplayName} left behind: {left ?? "nothing"}.");
        }
    }
}
#endif
