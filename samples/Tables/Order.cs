namespace Voron.Samples.Tables;

/// <summary>What a customer has ordered, and when.</summary>
internal sealed record Order(long Id, long Customer, DateTimeOffset At, string What, decimal Price);
