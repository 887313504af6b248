using System.Globalization;
using Voron.Simulation.Kills;

namespace Voron.Simulation.Blocks;

/// <summary>
/// Mounts what a power cut left, lets the file system and then the engine recover, and holds the database against the script.
/// </summary>
internal static class BlockJudge
{
    /// <summary>The transaction that was found: all that was promised is there, at most one more, and the check finds nothing.</summary>
    internal static long Judge(BlockFileSystem system, string image, string directory, ulong seed, long promised)
    {
        ScriptModel model = new(seed);
        model.AdvanceTo(promised);
        using BlockMount mount = system.Mount(image, directory);
        model.Verify(mount.Database, promised, $"{system.Name}, seed {seed}");
        return model.Transaction;
    }

    /// <summary>Keeps an image that was judged badly, under a name from which <see cref="JudgeKept"/> can judge it again.</summary>
    internal static string Keep(string image, BlockFileSystem system, ulong seed, long promised)
    {
        string kept = Path.Combine(
            Path.GetTempPath(),
            string.Create(CultureInfo.InvariantCulture, $"power-cut_{system.Name}_{seed}_{promised}_{Path.GetRandomFileName()}"));
        BlockTools.Run("/bin/cp", "--sparse=always", image, kept);
        return $"The image is kept; VORON_IMAGE='{kept}' dotnet test -c Release tests/Voron.Simulation "
            + "--filter FullyQualifiedName~A_kept_image judges it again.";
    }

    /// <summary>Judges a copy, so that the kept image stays as the cut left it.</summary>
    internal static void JudgeKept(string image, BlockWorkspace workspace)
    {
        string[] words = Path.GetFileName(image).Split('_');
        string copy = workspace.PathOf("kept.image");
        BlockTools.Run("/bin/cp", "--sparse=always", image, copy);
        Judge(
            BlockFileSystem.Named(words[1]),
            copy,
            workspace.DirectoryOf("kept"),
            ulong.Parse(words[2], CultureInfo.InvariantCulture),
            long.Parse(words[3], CultureInfo.InvariantCulture));
    }
}
