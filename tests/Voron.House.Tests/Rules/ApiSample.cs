#pragma warning disable CA1051, CA1708, CA1710, CA2225 // A public surface of every kind, good style or not, is what the test needs.
namespace Voron.House.Tests.Rules;

/// <summary>One of each kind of public member, and hidden ones that must not show.</summary>
public abstract class ApiSample<T> : EventArgs, IDisposable
{
    public const long Max = 9;

    private readonly string _text;

    protected ApiSample(string text) => _text = text;

    public event EventHandler? Closed;

    public enum Mode : byte
    {
        Fast = 1,
    }

    public string Name { get; init; } = string.Empty;

    internal int Hidden => _text.Length;

    public T this[int i] => Make(ref _none, i);

    private T[] _none = [];

    public static implicit operator int(ApiSample<T> it) => it.Hidden;

    public bool TryGet(scoped ReadOnlySpan<byte> key, out T? value, int limit = 7)
    {
        value = default;
        return key.Length > limit;
    }

    public virtual void Dispose()
    {
        Closed?.Invoke(this, this);
        GC.SuppressFinalize(this);
    }

    protected abstract T Make<TOther>(ref TOther[] from, int? at);

    private protected void AlsoHidden() => _ = _none;

    public readonly ref struct View
    {
        public readonly int Length;

        internal View(int length) => Length = length;
    }
}
