namespace Voron.Storage.Format;

/// <summary>Number of a page: its byte offset in the data file divided by the page size.</summary>
internal readonly record struct PageNumber(long Value)
{
    public override string ToString() => Value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
