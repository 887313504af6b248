using System.Globalization;
using Voron.Soak;

// Usage: Voron.Soak --minutes N [--only NAME] [--ledger FILE]
// Tries fresh seeds for so long, of all parts or of those whose names begin so (fuzz, kills, blocks, schedules, a lane's name), and
// appends a line to the ledger. Exit code 1: findings.
return args switch
{
    ["--minutes", string minutes] => Soak.Run(Minutes(minutes), Path.Combine("tests", "soak-ledger.txt")),
    ["--minutes", string minutes, "--only", string name] => Soak.Run(Minutes(minutes), Path.Combine("tests", "soak-ledger.txt"), name),
    ["--minutes", string minutes, "--ledger", string ledger] => Soak.Run(Minutes(minutes), ledger),
    ["--minutes", string minutes, "--only", string name, "--ledger", string ledger] => Soak.Run(Minutes(minutes), ledger, name),
    _ => Usage(),
};

static TimeSpan Minutes(string text) => TimeSpan.FromMinutes(double.Parse(text, CultureInfo.InvariantCulture));

static int Usage()
{
    Console.Error.WriteLine("Usage: Voron.Soak --minutes N [--only NAME] [--ledger FILE]");
    return 2;
}
