using System.Globalization;
using Voron.Soak;

// Usage: Voron.Soak --minutes N [--ledger FILE]    tries fresh seeds for so long and appends a line to the ledger; exit code 1: findings
return args switch
{
    ["--minutes", string minutes] => Soak.Run(Minutes(minutes), Path.Combine("tests", "soak-ledger.txt")),
    ["--minutes", string minutes, "--ledger", string ledger] => Soak.Run(Minutes(minutes), ledger),
    _ => Usage(),
};

static TimeSpan Minutes(string text) => TimeSpan.FromMinutes(double.Parse(text, CultureInfo.InvariantCulture));

static int Usage()
{
    Console.Error.WriteLine("Usage: Voron.Soak --minutes N [--ledger FILE]");
    return 2;
}
