using System.Text;
using Voron.Storage.Format;

namespace Voron.Storage.Transfer;

/// <summary>
/// Reads dumps of this library, LMDB, libmdbx and Berkeley DB: sections of a header, lines of a key and of its value by turns, each after
/// a space, and <c>DATA=END</c>. A value of up to <see cref="MaxWholeBytes"/> is kept in memory until its line ends and stored as a whole;
/// a longer one is stored in pieces.
/// </summary>
internal sealed class DumpReader(LoadTarget target, byte[]? tree) : IInputFormat
{
    /// <summary>The longest value that is stored as a whole, in bytes.</summary>
    private const int MaxWholeBytes = 16 << 20;

    /// <summary>LMDB's record of a sub-database in the main database.</summary>
    private const int SubDatabaseBytes = 48;

    /// <summary>Most keys of a section without a name that are remembered because their values may be such records.</summary>
    private const int MostCandidates = 100_000;

    private readonly List<string> _warnings = [];

    /// <summary>Names of sections, and keys of sections without a name; with one char for each byte: they need not be text.</summary>
    private readonly HashSet<string> _names = [];
    private readonly HashSet<string> _candidates = [];
    private byte[]? _unnamedTree;

    private DumpHeader? _header;
    private DumpDecoder? _decoder;
    private byte[]? _sectionTree;
    private State _state;
    private bool _isInsideLine;
    private bool _isInPieces;
    private long _subDatabaseRecords;
    private bool _isFirstNamed;
    private bool _waitsForLength;

    private byte[] _key = [];
    private byte[] _previousKey = [];
    private int _keyBytes;
    private long _keyLine;
    private int _previousKeyBytes;
    private byte[] _value = new byte[4 << 10];
    private int _valueBytes;

    public int LongestPartBytes => 1 << 20;

    public long Sections { get; private set; }

    public long SubDatabaseRecords => _subDatabaseRecords;

    public IReadOnlyList<string> Warnings => _warnings;

    public int Take(ReadOnlySpan<byte> part, bool isEnd, long line)
    {
        bool isBegin = !_isInsideLine;
        _isInsideLine = !isEnd;
        switch (_state)
        {
            case State.Between or State.Header:
                TakeHeader(part, isEnd, line);
                return 0;
            case State.Key:
                TakeKey(part, isEnd, line);
                return 0;
            default:
                return TakeValue(part, isBegin, isEnd, line);
        }
    }

    public void End(long line)
    {
        if (_state != State.Between || Sections == 0)
        {
            Throw.Incomplete(
                Math.Max(1, line),
                Sections == 0 && _state == State.Between ? "before a section begins"
                : _state == State.Header ? "inside the header of a section" : "before 'DATA=END'");
        }
    }

    private void TakeHeader(ReadOnlySpan<byte> part, bool isEnd, long line)
    {
        if (!isEnd)
        {
            Throw.BadLine(line, $"the line of a header is longer than {LongestPartBytes >> 20} MiB. Is the input a dump?");
        }

        if (_state == State.Between)
        {
            if (part.IsEmpty)
            {
                return;
            }

            _header = new DumpHeader(line);
            _state = State.Header;
        }

        if (_header!.Add(part, line))
        {
            BeginSection();
            _state = State.Key;
        }
    }

    private void BeginSection()
    {
        Sections++;
        _previousKeyBytes = -1;
        _keyBytes = -1;
        _decoder = new DumpDecoder(_header!, _warnings);
        _sectionTree = ChooseTree(_header!.Name);
        _isFirstNamed |= Sections == 1 && _header.Name is not null;
        if (_header.OtherOrder is { } order)
        {
            _warnings.Add(
                $"Line {_header.Line}: the section has {order}=1. Its keys and values are kept, but are ordered by their bytes here.");
        }

        if (_sectionTree is not null)
        {
            CheckName(_sectionTree, _header.Line);
            OpenTree(_sectionTree);
        }

        if (_header.Name is not { } name)
        {
            _unnamedTree = _sectionTree;
            return;
        }

        string text = Encoding.Latin1.GetString(name);
        _names.Add(text);
        if (_candidates.Remove(text) && _unnamedTree is not null)
        {
            target.Delete(_unnamedTree, name);
            _subDatabaseRecords++;
        }
    }

    /// <summary>
    /// Opens the tree of the section. The common length of LMDB's packed values is that of the first one, so their tree waits for it.
    /// </summary>
    private void OpenTree(byte[] name)
    {
        if (_header!.KeyKind != FixedKeyKind.None)
        {
            ushort valueBytes = _header.ValueBytes ?? 0;
            target.OpenFixedTree(name, new TreeShape(TreeKind.Fixed, valueBytes, _header.KeyKind));
        }
        else if (!_header.IsMulti)
        {
            target.OpenTree(name);
        }
        else if (_header.ValueBytes is not null || !_header.HasOneLength)
        {
            target.OpenMultiTree(name, _header.ValueBytes ?? TreeShape.AnyLength);
        }

        _waitsForLength = _header.IsMulti && _header.ValueBytes is null && _header.HasOneLength;
    }

    /// <summary>
    /// The given tree is for the first section, and for those without a name. A second named one after a first named one would have to go
    /// there too, which mixes trees.
    /// </summary>
    private byte[]? ChooseTree(byte[]? name)
    {
        if (tree is null || (Sections > 1 && name is not null && !_isFirstNamed))
        {
            return name;
        }

        if (Sections > 1 && _isFirstNamed)
        {
            Throw.BadLine(_header!.Line, "a second section begins, and one tree was named to load into. "
                + "Dump one tree, or leave out LoadOptions.Tree (--tree): then each section goes to its own.");
        }

        return tree;
    }

    private static void CheckName(byte[] name, long line)
    {
        if (name.Length > FormatConstants.MaxNameBytes)
        {
            Throw.BadLine(line, $"the section's name has {name.Length} bytes; a tree's name has at most {FormatConstants.MaxNameBytes}. "
                + "Load it alone, with LoadOptions.Tree (--tree).");
        }
    }

    private void TakeKey(ReadOnlySpan<byte> part, bool isEnd, long line)
    {
        if (part.SequenceEqual("DATA=END"u8) && isEnd)
        {
            if (_waitsForLength && _sectionTree is not null)
            {
                target.OpenMultiTree(_sectionTree, TreeShape.AnyLength);
            }

            _state = State.Between;
            return;
        }

        CheckBegin(part, line);
        if (_sectionTree is null)
        {
            Throw.BadLine(_header!.Line, "the section that begins here has no name. Name the tree for it: LoadOptions.Tree (--tree).");
        }

        if (_header!.MayBeConcise && part.Length > 1 && part[1] == (byte)' ')
        {
            RefuseConcise(line);
        }

        if (!isEnd)
        {
            Throw.KeyTooLong(line, part.Length / 3, target.MaxKeyBytes);
        }

        (_key, _previousKey) = (_previousKey, _key);
        _previousKeyBytes = _keyBytes;
        _keyLine = line;
        if (_key.Length < part.Length)
        {
            _key = new byte[Math.Max(256, part.Length)];
        }

        _decoder!.Decode(part[1..], isEnd: true, line, _key, out _keyBytes);
        if (_keyBytes > target.MaxKeyBytes)
        {
            Throw.KeyTooLong(line, _keyBytes, target.MaxKeyBytes);
        }

        if (_header.HasDuplicates && !_header.IsMulti && _previousKeyBytes == _keyBytes
            && _key.AsSpan(0, _keyBytes).SequenceEqual(_previousKey.AsSpan(0, _keyBytes)))
        {
            RefuseDuplicate(line);
        }

        _state = State.Value;
    }

    private int TakeValue(ReadOnlySpan<byte> part, bool isBegin, bool isEnd, long line)
    {
        if (isBegin)
        {
            if (isEnd && part.SequenceEqual("DATA=END"u8))
            {
                Throw.BadLine(line, "the section ends after a key without a value: lines are missing. Dump again.");
            }

            CheckBegin(part, line);
            part = part[1..];
            _valueBytes = 0;
            _isInPieces = false;
        }

        MakeRoom(part.Length);
        int read = _decoder!.Decode(part, isEnd, line, _value.AsSpan(_valueBytes), out int length);
        _valueBytes += length;
        if (_isInPieces || (!isEnd && _valueBytes > MaxWholeBytes))
        {
            WritePiece();
        }

        if (isEnd)
        {
            EndValue();
            _state = State.Key;
        }

        return part.Length - read;
    }

    private void WritePiece()
    {
        if (_header!.IsMulti)
        {
            Throw.PairTooLong(_keyLine, _keyBytes, _valueBytes, target.MaxKeyBytes);
        }

        if (_header.KeyKind != FixedKeyKind.None)
        {
            EndValue();
        }

        if (!_isInPieces)
        {
            target.BeginPieces(_key.AsSpan(0, _keyBytes), _keyLine);
            _isInPieces = true;
        }

        target.WritePiece(_value.AsSpan(0, _valueBytes));
        _valueBytes = 0;
    }

    private void EndValue()
    {
        ReadOnlySpan<byte> key = _key.AsSpan(0, _keyBytes);
        if (_header!.IsMulti)
        {
            AddPair(key, _value.AsSpan(0, _valueBytes));
        }
        else if (_header.KeyKind != FixedKeyKind.None)
        {
            target.PutFixed(key, _value.AsSpan(0, _valueBytes), _keyLine);
        }
        else if (_isInPieces)
        {
            target.EndPieces();
        }
        else if (_header.Name is null && _valueBytes == SubDatabaseBytes && IsSubDatabase(key))
        {
            target.PassOver();
            _subDatabaseRecords++;
        }
        else
        {
            target.Put(key, _value.AsSpan(0, _valueBytes), _keyLine);
        }
    }

    private void AddPair(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (_waitsForLength)
        {
            bool isPossible = value.Length is > 0 and <= TreeShape.MaxValueBytes;
            target.OpenMultiTree(_sectionTree!, isPossible ? (ushort)value.Length : TreeShape.AnyLength);
            _waitsForLength = false;
        }

        target.Add(key, value, _keyLine);
    }

    /// <summary>Whether a section before this one has that name; one that follows is found out when it begins.</summary>
    private bool IsSubDatabase(ReadOnlySpan<byte> key)
    {
        string name = Encoding.Latin1.GetString(key);
        bool isKnown = _names.Contains(name);
        if (!isKnown && key.Length <= FormatConstants.MaxNameBytes && _candidates.Count < MostCandidates)
        {
            _candidates.Add(name);
        }

        return isKnown;
    }

    private void MakeRoom(int bytes)
    {
        if (_value.Length - _valueBytes < bytes)
        {
            Array.Resize(ref _value, Math.Max(_value.Length * 2, _valueBytes + bytes));
        }
    }

    private void RefuseConcise(long line) => Throw.BadLine(
        line,
        _header!.IsPrint
            ? "it begins with two spaces: a further value of the key before it (mdbx_dump -c), or a key that begins with a space. "
                + "Dump without -c, or without -p."
            : "it begins with two spaces: a further value of the key before it (mdbx_dump -c). Dump without -c.");

    private void RefuseDuplicate(long line) => Throw.BadLine(
        line,
        $"key '{KeyText.Of(_key.AsSpan(0, Math.Max(0, _keyBytes)))}' has several values in no order (duplicates=1 without dupsort=1), and "
            + "a tree keeps one value for a key. Give each value a key of its own in the source, for example the key and a number.");

    private static void CheckBegin(ReadOnlySpan<byte> part, long line)
    {
        if (part.IsEmpty || part[0] != (byte)' ')
        {
            Throw.BadLine(line, "a line with a key or a value begins with a space, and 'DATA=END' ends the section. Dump again.");
        }
    }

    /// <summary>What the next line is.</summary>
    private enum State
    {
        /// <summary>The first line of a section, or none.</summary>
        Between,
        Header,
        Key,
        Value,
    }
}
