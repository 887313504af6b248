using System.Collections.Concurrent;

namespace Voron.Simulation.Schedules;

/// <summary>Real threads that are used for one schedule after another, because making one costs more than many switches.</summary>
internal static class ThreadCrew
{
    private static readonly ConcurrentBag<Member> Idle = [];

    internal static void Run(Action work)
    {
        Member member = Idle.TryTake(out Member? idle) ? idle : new Member();
        member.Give(work);
    }

    private sealed class Member
    {
        private readonly ThreadWord _wake = new();
        private Action? _work;

        internal Member() => new Thread(Live) { IsBackground = true, Name = "Schedule" }.Start();

        internal void Give(Action work)
        {
            _work = work;
            _wake.Set(1);
        }

        private void Live()
        {
            while (true)
            {
                _wake.WaitWhile(0);
                _wake.Set(0);
                _work!();
                Idle.Add(this);
            }
        }
    }
}
