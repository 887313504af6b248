using System.Globalization;
using System.Text;

namespace Voron.Simulation.Crashes;

/// <summary>A list of steps that follows from a seed, and from the letters when they are given.</summary>
internal sealed class Workload
{
    private readonly SimRandom _random;
    private readonly WorkloadOptions _options;
    private readonly byte[][] _keys;
    private long _values;

    private Workload(ulong seed, WorkloadOptions options, IEnumerable<WorkloadLetter>? letters)
    {
        Seed = seed;
        _options = options;
        _random = new SimRandom(seed);
        _keys = new byte[options.Keys][];
        for (int i = 0; i < _keys.Length; i++)
        {
            _keys[i] = NewKey(i);
        }

        var steps = new List<WorkloadStep>();
        foreach (WorkloadLetter letter in letters ?? RandomLetters())
        {
            steps.Add(NewStep(letter));
        }

        Steps = steps;
    }

    /// <summary>
    /// The rows that hold the names of the two trees, behind all other keys; putting one gives the tree that name.
    /// </summary>
    internal static IReadOnlyList<byte[]> NameKeys { get; } = ["~0"u8.ToArray(), "~1"u8.ToArray()];

    /// <summary>The names that each tree can have.</summary>
    internal static IReadOnlyList<string[]> TreeNames { get; } = [["even", "even, renamed"], ["odd", "odd, renamed"]];

    internal ulong Seed { get; }

    internal IReadOnlyList<WorkloadStep> Steps { get; }

    internal static Workload Generate(ulong seed, WorkloadOptions? options = null) => new(seed, options ?? new WorkloadOptions(), null);

    internal static Workload Of(ulong seed, IEnumerable<WorkloadLetter> letters, WorkloadOptions? options = null) =>
        new(seed, options ?? new WorkloadOptions(), letters);

    /// <summary>All words of exactly this many letters, in a fixed order.</summary>
    internal static IEnumerable<WorkloadLetter[]> AllWords(int length)
    {
        WorkloadLetter[] alphabet = Enum.GetValues<WorkloadLetter>();
        long count = 1;
        for (int i = 0; i < length; i++)
        {
            count *= alphabet.Length;
        }

        for (long word = 0; word < count; word++)
        {
            var letters = new WorkloadLetter[length];
            long rest = word;
            for (int i = length - 1; i >= 0; i--)
            {
                letters[i] = alphabet[rest % alphabet.Length];
                rest /= alphabet.Length;
            }

            yield return letters;
        }
    }

    public override string ToString() => string.Join(' ', Steps.Select(step => step.Letter));

    private List<WorkloadLetter> RandomLetters()
    {
        WorkloadLetter[] alphabet = [.. Enum.GetValues<WorkloadLetter>().Except(_options.Without)];
        var letters = new List<WorkloadLetter>();
        while (letters.Count < _options.Steps)
        {
            // Small puts are the ground on which the other letters do something.
            letters.Add(_random.OneIn(3) ? WorkloadLetter.PutSmall : alphabet[_random.Below(alphabet.Length)]);
        }

        return letters;
    }

    private byte[] NewKey(int number)
    {
        string name = number.ToString(CultureInfo.InvariantCulture);
        byte[] key = new byte[Math.Max(name.Length, _random.Between(1, _options.LongestKeyBytes))];
        _random.Fill(key);
        Encoding.ASCII.GetBytes(name, key);
        return key;
    }

    private WorkloadStep NewStep(WorkloadLetter letter) => letter switch
    {
        WorkloadLetter.OpenReader or WorkloadLetter.CloseReader => new WorkloadStep(letter, [], _random.Below(_options.ReaderSlots)),
        WorkloadLetter.Checkpoint or WorkloadLetter.Reopen => new WorkloadStep(letter, []),
        WorkloadLetter.Group => new WorkloadStep(letter, NewGroup()),
        _ => new WorkloadStep(letter, [NewTransaction(letter)]),
    };

    private List<WorkloadTransaction> NewGroup()
    {
        var group = new List<WorkloadTransaction>();
        int count = _random.Between(2, 5);
        for (int i = 0; i < count; i++)
        {
            // Every transaction of a group changes something, so that their ids are known before they are committed.
            WorkloadTransaction transaction = NewTransaction(_random.OneIn(4) ? WorkloadLetter.Delete : WorkloadLetter.PutSmall);
            group.Add(transaction with { Changes = [.. transaction.Changes, Put(_options.LeastSmallBytes, _options.MostSmallBytes)] });
        }

        return group;
    }

    private WorkloadTransaction NewTransaction(WorkloadLetter letter)
    {
        var changes = new List<WorkloadChange>();
        int count = _random.Between(1, 4);
        switch (letter)
        {
            case WorkloadLetter.EmptyTransaction:
                break;
            case WorkloadLetter.PutOverflow:
                for (int i = 0; i < _options.OverflowPuts; i++)
                {
                    changes.Add(Put(_options.PageBytes / 4 + 1, _options.PageBytes * 3));
                    if (_options.OverflowPuts > 1)
                    {
                        changes.Add(Put(_options.PageBytes / 8, _options.PageBytes / 4));
                    }
                }

                break;
            case WorkloadLetter.Update:
                byte[] key = RandomKey();
                changes.Add(new WorkloadChange(key, NewValue(_options.LeastSmallBytes, _options.MostSmallBytes)));
                changes.Add(new WorkloadChange(key, NewValue(_options.LeastSmallBytes, _options.MostSmallBytes)));
                if (IsOneIn(_options.RenameOneIn))
                {
                    int tree = _random.Below(NameKeys.Count);
                    changes.Add(new WorkloadChange(NameKeys[tree], Encoding.UTF8.GetBytes(TreeNames[tree][_random.Below(2)])));
                }

                break;
            case WorkloadLetter.Delete when IsOneIn(_options.RangeOneIn):
                byte[][] ends = [.. new[] { RandomKey(), RandomKey() }.Order(KeyOrder.Instance)];
                changes.Add(new WorkloadChange(ends[0], null, ends[1]));
                break;
            case WorkloadLetter.BigTransaction:
            case WorkloadLetter.Rollback when _options.RollsBackMuch:
                for (int bytes = 0; bytes < _options.BigTransactionBytes;)
                {
                    changes.Add(Put(_options.PageBytes / 8, _options.PageBytes / 2));
                    bytes += changes[^1].Value!.Length;
                }

                break;
            default:
                count = letter == WorkloadLetter.Delete && _options.Deletes > 0 ? _options.Deletes : count;
                for (int i = 0; i < count; i++)
                {
                    bool deletes = letter == WorkloadLetter.Delete || (letter == WorkloadLetter.Rollback && _random.OneIn(2));
                    changes.Add(deletes ? new WorkloadChange(RandomKey(), null) : Put(_options.LeastSmallBytes, _options.MostSmallBytes));
                }

                break;
        }

        CommitPromise promise = IsOneIn(_options.BufferedOneIn) ? CommitPromise.Buffered
            : IsOneIn(_options.LazyOneIn) ? CommitPromise.Lazy : CommitPromise.Durable;
        return new WorkloadTransaction(changes, promise, IsOneIn(_options.AsyncOneIn));
    }

    private bool IsOneIn(int chances) => chances > 0 && _random.OneIn(chances);

    private WorkloadChange Put(int leastBytes, int mostBytes) => new(RandomKey(), NewValue(leastBytes, mostBytes));

    private byte[] RandomKey() => _keys[_random.Below(_keys.Length)];

    private byte[] NewValue(int leastBytes, int mostBytes)
    {
        byte[] value = new byte[_random.Between(leastBytes, mostBytes)];
        new SimRandom(SimRandom.Mix(Seed, (ulong)++_values)).Fill(value);
        return value;
    }
}
