using System.Globalization;

namespace Voron.Bench.Tables;

/// <summary>Rows of a seed, each made from its number.</summary>
internal sealed class RowData(ulong seed)
{
    /// <summary>About what a row takes without an engine's own bytes.</summary>
    internal const int RowBytes = sizeof(long) + EmailBytes + CityBytes + sizeof(int) + sizeof(long) + TextBytes;

    private const int TextBytes = 248;
    private const int EmailBytes = 22;
    private const int CityBytes = 8;
    private const int Cities = 1_000;
    private const int Ages = 90;
    private const int WordsOfRow = 4 + (TextBytes / sizeof(ulong));

    internal BenchRow Row(long number)
    {
        RandomBytes random = new RandomBytes(seed).After(number * WordsOfRow);
        string email = EmailOf(random.Next());
        string city = string.Create(CultureInfo.InvariantCulture, $"city {random.Below(Cities):D3}");
        int age = random.Below(Ages);
        long score = (long)random.Next();
        byte[] text = new byte[TextBytes];
        random.Fill(text);
        return new BenchRow(number, email, city, age, score, text);
    }

    /// <summary>The e-mail address of a row.</summary>
    internal string Email(long number) => EmailOf(new RandomBytes(seed).After(number * WordsOfRow).Next());

    private static string EmailOf(ulong word) => string.Create(CultureInfo.InvariantCulture, $"{word:x16}@x.org");
}
