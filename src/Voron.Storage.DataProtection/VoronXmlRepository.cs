using System.Globalization;
using System.Text;
using System.Xml;
using System.Xml.Linq;
using Microsoft.AspNetCore.DataProtection.Repositories;

namespace Voron.Storage.DataProtection;

/// <summary>
/// XML elements in a tree, in the order in which they were stored. The key of an entry is a number of ten digits and the element's
/// friendly name; the value is the element as XML in UTF-8. It may be used from any thread.
/// </summary>
public sealed class VoronXmlRepository : IDeletableXmlRepository
{
    /// <summary>The tree that is used if no other is named.</summary>
    public const string DefaultTreeName = "data-protection-keys";

    private const int NumberDigits = 10;

    /// <summary>Line ends and spaces inside an element come back as they were.</summary>
    private static readonly XmlWriterSettings Exact = new()
    {
        Encoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
        NewLineHandling = NewLineHandling.Entitize,
        OmitXmlDeclaration = true,
    };

    private readonly StorageEnvironment _environment;
    private readonly string _treeName;

    /// <summary>Makes a repository over a tree, which is created with the first element.</summary>
    /// <param name="environment">An environment that is open for writing.</param>
    /// <param name="treeName">The tree; nothing else may be stored in it.</param>
    public VoronXmlRepository(StorageEnvironment environment, string treeName = DefaultTreeName)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentException.ThrowIfNullOrEmpty(treeName);
        _environment = environment;
        _treeName = treeName;
    }

    /// <summary>All elements of a snapshot.</summary>
    /// <exception cref="InvalidDataException">An entry of the tree is no XML element.</exception>
    public IReadOnlyCollection<XElement> GetAllElements() => [.. ReadAll().Select(static stored => stored.Element)];

    /// <summary>Adds an element, which is on the device when the call returns. No element replaces another one.</summary>
    /// <param name="element">The element.</param>
    /// <param name="friendlyName">A name for people who look into the tree; it may be null and need not be unique.</param>
    public void StoreElement(XElement element, string friendlyName)
    {
        ArgumentNullException.ThrowIfNull(element);
        byte[] value = BytesOf(element);
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree(_treeName);
        long number = tree.TryGetLast(out TreeEntry last) ? NumberOf(last.Key) + 1 : 1;
        tree.Put(KeyOf(number, friendlyName), value);
        transaction.Commit();
    }

    /// <summary>
    /// Deletes the elements for which <paramref name="chooseElements"/> sets an order, in one transaction: all of them are deleted, or an
    /// exception says why none is. An element that is not there any more counts as deleted.
    /// </summary>
    /// <param name="chooseElements">Gets the elements of a snapshot, and runs outside of any transaction.</param>
    /// <returns>True.</returns>
    /// <exception cref="InvalidDataException">An entry of the tree is no XML element.</exception>
    public bool DeleteElements(Action<IReadOnlyCollection<IDeletableElement>> chooseElements)
    {
        ArgumentNullException.ThrowIfNull(chooseElements);
        List<StoredElement> all = ReadAll();
        chooseElements(all);
        List<StoredElement> chosen = [.. all.Where(static stored => stored.DeletionOrder is not null)
            .OrderBy(static stored => stored.DeletionOrder)];
        if (chosen.Count == 0)
        {
            return true;
        }

        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree(_treeName);
        foreach (StoredElement stored in chosen)
        {
            tree.Delete(stored.Key);
        }

        transaction.Commit();
        return true;
    }

    private List<StoredElement> ReadAll()
    {
        List<StoredElement> all = [];
        using ReadTransaction transaction = _environment.BeginRead();
        if (transaction.TryOpenTree(_treeName, out ReadTree tree))
        {
            foreach (TreeEntry entry in tree)
            {
                all.Add(new StoredElement(entry.Key.ToArray(), ElementOf(entry)));
            }
        }

        return all;
    }

    private static byte[] BytesOf(XElement element)
    {
        using MemoryStream bytes = new();
        using (XmlWriter writer = XmlWriter.Create(bytes, Exact))
        {
            element.WriteTo(writer);
        }

        return bytes.ToArray();
    }

    private XElement ElementOf(TreeEntry entry)
    {
        try
        {
            return XElement.Parse(Encoding.UTF8.GetString(entry.Value), System.Xml.Linq.LoadOptions.PreserveWhitespace);
        }
        catch (XmlException error)
        {
            throw Foreign(entry.Key, error);
        }
    }

    private long NumberOf(ReadOnlySpan<byte> key) =>
        key.Length >= NumberDigits && long.TryParse(key[..NumberDigits], NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            ? number
            : throw Foreign(key, null);

    /// <summary>A name that is too long is cut: it is for people, and the number alone makes the key unique.</summary>
    private byte[] KeyOf(long number, string? friendlyName)
    {
        byte[] key = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{number:D10} {friendlyName}"));
        return key.AsSpan(0, Math.Min(key.Length, _environment.Limits.MaxKeyBytes)).ToArray();
    }

    private InvalidDataException Foreign(ReadOnlySpan<byte> key, Exception? cause) => new(
        $"The entry '{Encoding.UTF8.GetString(key)}' of the tree '{_treeName}' is not one of Data Protection. "
        + "The tree must hold nothing else: delete the entry, or name another tree.",
        cause);

    private sealed class StoredElement(byte[] key, XElement element) : IDeletableElement
    {
        internal byte[] Key => key;

        public XElement Element => element;

        public int? DeletionOrder { get; set; }
    }
}
