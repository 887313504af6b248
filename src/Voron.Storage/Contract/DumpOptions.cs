namespace Voron.Storage;

/// <summary>What <see cref="StorageDump.WriteAsync"/> writes, and in which of the two formats.</summary>
public sealed class DumpOptions
{
    /// <summary>The one tree to dump; null (the default) dumps all trees, one section for each, in the order of their names.</summary>
    public string? Tree { get; init; }

    /// <summary>
    /// The name of the one tree as bytes, for a name that is not text; empty (the default) if <see cref="Tree"/> says what to dump.
    /// </summary>
    public ReadOnlyMemory<byte> TreeNameBytes { get; init; }

    /// <summary>
    /// Writes printable ASCII bytes as they are, and only others in hexadecimal digits (<c>format=print</c>). Default false: all bytes in
    /// hexadecimal digits (<c>format=bytevalue</c>).
    /// </summary>
    public bool Print { get; init; }

    /// <summary>
    /// Throws <see cref="DumpFormatException"/> for a name, key or value that <c>mdb_load</c> of LMDB would refuse. Default false: it is
    /// written, and <see cref="DumpReport.Warnings"/> say so.
    /// </summary>
    public bool Strict { get; init; }
}
