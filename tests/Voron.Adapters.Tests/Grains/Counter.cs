using Orleans;
using Orleans.Runtime;

namespace Voron.Adapters.Tests.Grains;

internal sealed class Counter([PersistentState("counter")] IPersistentState<CounterState> state) : Grain, ICounter, IRemindable
{
    public async Task<long> AddAsync(long number)
    {
        state.State.Number += number;
        await state.WriteStateAsync();
        return state.State.Number;
    }

    public Task RemindAsync(string name) => this.RegisterOrUpdateReminder(name, TimeSpan.FromHours(1), TimeSpan.FromHours(2));

    public async Task<string[]> RemindersAsync() => [.. (await this.GetReminders()).Select(static one => one.ReminderName)];

    public async Task ForgetAsync(string name) => await this.UnregisterReminder((await this.GetReminder(name))!);

    public Task ReceiveReminder(string reminderName, TickStatus status) => Task.CompletedTask;
}
