namespace Voron.Storage.Tests;
public class SmokeTests { [Xunit.Fact] public void Runs() => FluentAssertions.AssertionExtensions.Should(1).Be(1); }
