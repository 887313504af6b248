namespace Voron.Storage.Platform;

/// <summary>
/// The switch that breaks a rule. In every ordinary build <see cref="Is"/> is a constant false and the branch behind it disappears; only
/// a build with SABOTAGE defined (<c>-p:Sabotage=true</c>) can break anything.
/// </summary>
internal static class Sabotage
{
#if SABOTAGE
    internal const bool IsPossible = true;

    internal static SabotageRule Broken { get; set; }

    internal static bool Is(SabotageRule rule) => Broken == rule;
#else
    internal const bool IsPossible = false;

    internal static bool Is(SabotageRule rule) => false;
#endif
}
