using Orleans;

namespace Voron.Adapters.Tests.Grains;

/// <summary>A number that lasts, and a reminder.</summary>
public interface ICounter : IGrainWithStringKey
{
    Task<long> AddAsync(long number);

    Task RemindAsync(string name);

    Task<string[]> RemindersAsync();

    Task ForgetAsync(string name);
}
