using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>The exceptions of this namespace, thrown out of line.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void TransactionEnded() => throw new ObjectDisposedException(
        "transaction",
        "This transaction has ended (committed, rolled back or disposed), or its environment was disposed. Begin a new one.");

    [DoesNotReturn]
    internal static void EnvironmentDisposed() => throw new ObjectDisposedException(
        "StorageEnvironment", "The environment was disposed. Open it again.");

    [DoesNotReturn]
    internal static void TreeNotFound(string name, TransactionId snapshot) => throw new TreeNotFoundException(
        $"There is no tree '{name}' in the snapshot of transaction {snapshot}. "
        + "Create it in a write transaction, or ask with TryOpenTree when it may be missing.");

    [DoesNotReturn]
    internal static void NoNumber(ReadOnlySpan<byte> key, int valueBytes) => throw new ArgumentException(
        $"The value of key '{KeyText.Of(key)}' has {valueBytes} bytes, and a number that is incremented has 8. Nothing was changed.",
        nameof(key));

    [DoesNotReturn]
    internal static void Poisoned(Exception first) => throw new TransactionPoisonedException(
        "An earlier operation of this write transaction failed after it had changed something. Dispose it and begin again. First error: "
        + first.Message,
        first);

    [DoesNotReturn]
    internal static void ConcurrentUse() => throw new InvalidOperationException(
        "This write transaction is in use on another thread at this moment. "
        + "A write transaction may move between threads but serves one at a time.");

    [DoesNotReturn]
    internal static void ConcurrentRenewal() => throw new InvalidOperationException(
        "This read transaction is being renewed on another thread at this moment. Clone it for each thread that goes on by itself.");

    [DoesNotReturn]
    internal static void BeginInside() => throw new InvalidOperationException(
        "This thread waits for a write transaction that it has begun itself and that nothing uses meanwhile, so it would wait for ever. "
        + "Inside a write transaction pass that transaction on, or commit or dispose it before the next one begins; a savepoint undoes "
        + "a part of it.");

    [DoesNotReturn]
    internal static void BeginInsideAction() => throw new InvalidOperationException(
        "An action of WriteAsync holds the write transaction already, and another one cannot begin before the action has returned. "
        + "Use the transaction that the action was given.");

    [DoesNotReturn]
    internal static void WriterLockTimeout(TimeSpan timeout) => throw new TimeoutException(
        $"Another write transaction was still open after {timeout.TotalMilliseconds:0} ms. "
        + "There is one writer at a time: end that one, or wait longer.");

    [DoesNotReturn]
    internal static void KeyTooLong(int length, int limit) => throw new KeyTooLongException(length, limit);

    [DoesNotReturn]
    internal static void ValueTooLong(long length, long limit) => throw new ValueTooLongException(length, limit);

    [DoesNotReturn]
    internal static void BadName(int length) => throw new ArgumentException(
        $"A tree's name is 1 to 255 bytes long (UTF-8); this one has {length}.");

    [DoesNotReturn]
    internal static void NameIsNoText(int index) => throw new ArgumentException(
        $"The tree's name has half of a surrogate pair at index {index}, so it is not valid text. Correct it; a name that is not text can "
        + "be given as bytes.");

    [DoesNotReturn]
    internal static void InternalName() => throw new ArgumentException(
        "The engine keeps a tree of this name for itself. Give the tree another name.");

    [DoesNotReturn]
    internal static void KindMismatch(ReadOnlySpan<byte> name, string wanted, TreeShape found) =>
        throw new TreeKindMismatchException(System.Text.Encoding.UTF8.GetString(name), wanted, found.ToString());

    [DoesNotReturn]
    internal static void BadTreeRecord(string name) => throw new StorageCorruptException(
        $"The catalog's record of tree '{name}' is damaged. Restore a backup or copy out what is readable.",
        pageNumber: Format.FormatConstants.CatalogRootPage.Value);

    [DoesNotReturn]
    internal static void TreeDropped() => throw new InvalidOperationException(
        "The tree was dropped in this transaction, or what had created it was undone. Open it again to create a new one.");

    [DoesNotReturn]
    internal static void TreeChanged() => throw new InvalidOperationException(
        "The tree was changed during the enumeration. Collect what to change first, or begin a new enumeration.");

    [DoesNotReturn]
    internal static void CursorDisposed() => throw new ObjectDisposedException("Cursor", "The cursor was disposed. Open another one.");

    [DoesNotReturn]
    internal static void CursorCopied() => throw new InvalidOperationException(
        "This cursor was copied, and the copy was moved or disposed, so this one does not know any more where it is. "
        + "Pass cursors by reference (ref), or open one for each loop.");

    [DoesNotReturn]
    internal static void SlotTaken() => throw new InvalidOperationException(
        "A reader slot that belongs to one thread was taken by another one. This is a fault of the engine; please report it.");

    [DoesNotReturn]
    internal static void NoSuchKey() => throw new InvalidOperationException(
        "The key does not exist, so there is no value to read. Look at Exists first.");

    [DoesNotReturn]
    internal static void NotAbove() => throw new ArgumentException(
        "The key is not above the last key of the tree, so it cannot be appended; nothing was changed. "
        + "Append in ascending order, or put it.",
        "key");

    [DoesNotReturn]
    internal static void PairNotAbove() => throw new ArgumentException(
        "The pair is not above the last pair of the tree, so it cannot be appended; nothing was changed. "
        + "Append keys, and the values of each, in ascending order, or add it.",
        "key");

    [DoesNotReturn]
    internal static void PairTooLong(int keyBytes, int valueBytes, int pairBytes, int limit) =>
        throw new KeyTooLongException(keyBytes, valueBytes, pairBytes, limit);

    [DoesNotReturn]
    internal static void WrongValueLength(int length, int valueBytes) => throw new ArgumentException(
        $"The value is {length} bytes long; all values of this tree have {valueBytes} bytes. Nothing was changed.");

    [DoesNotReturn]
    internal static void WrongColumnLength(int length, int keys, int valueBytes) => throw new ArgumentException(
        $"The values are {length} bytes long; {keys} values of {valueBytes} bytes each are {(long)keys * valueBytes}. "
        + "Nothing was changed.");

    [DoesNotReturn]
    internal static void NotAscending() => throw new ArgumentException(
        "The keys are not in ascending order, so they cannot be appended; nothing was changed. Sort them, or put them one by one.",
        "keys");

    [DoesNotReturn]
    internal static void BadValueBytes(int valueBytes) => throw new ArgumentOutOfRangeException(
        nameof(valueBytes), valueBytes, $"The common length of the values of a tree is 0 to {TreeShape.MaxValueBytes} bytes.");

    [DoesNotReturn]
    internal static void BadValueSize(int valueSize) => throw new ArgumentOutOfRangeException(
        nameof(valueSize), valueSize, $"The values of a fixed-size tree have 0 to {TreeShape.MaxFixedBytes} bytes.");

    [DoesNotReturn]
    internal static void BadKeyType(Type type) => throw new ArgumentException(
        $"The keys of a fixed-size tree are of type long, ulong, double or Guid, not {type.Name}.");

    [DoesNotReturn]
    internal static void NoFixedKey(int length, FixedKeyKind kind) => throw new ArgumentException(
        $"A key of {length} bytes is no {kind} key in its ordered form.");

    [DoesNotReturn]
    internal static void NameTaken(ReadOnlySpan<byte> name) => throw new InvalidOperationException(
        $"There is a tree of the name '{System.Text.Encoding.UTF8.GetString(name)}' already; nothing was changed. "
        + "Drop it first, or choose another name.");

    [DoesNotReturn]
    internal static void WriterOpen(int writers) => throw new InvalidOperationException(
        $"{writers} value writers of this transaction are not completed, so it can neither commit nor have a savepoint; nothing was "
        + "changed. Complete them first.");

    [DoesNotReturn]
    internal static void WriterUndone() => throw new InvalidOperationException(
        "This value writer was ended by a roll-back to a savepoint; its value is not in the tree. Open another one.");

    [DoesNotReturn]
    internal static void WriterCompleted() => throw new InvalidOperationException(
        "This value writer was completed. Open another one.");

    [DoesNotReturn]
    internal static void ReaderCompleted() => throw new InvalidOperationException(
        "This value reader was completed. Open another one.");

    [DoesNotReturn]
    internal static void NoSavepoint() => throw new InvalidOperationException(
        "The savepoint is not one of this transaction's, or was released, or was undone by a roll-back to an earlier one; nothing was "
        + "changed. Create a new one.");

    [DoesNotReturn]
    internal static void CommitInside() => throw new InvalidOperationException(
        "This transaction belongs to WriteAsync, which commits it when the action has returned. Throw to undo what the action did.");
}
