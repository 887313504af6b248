using FluentAssertions;
using Voron.Native;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Threads;

/// <summary>Waiting on a word, by the system's call and by the table that stands in for it.</summary>
public sealed class WaitWordTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Fact]
    public void A_changed_word_is_not_waited_for()
    {
        WaitWord word = new();
        word.Set(3);
        word.Wait(2, Timeout.InfiniteTimeSpan).Should().BeTrue();
        word.Value.Should().Be(3);
        word.Increment().Should().Be(4);
        word.Wait(3, Timeout.InfiniteTimeSpan).Should().BeTrue();
    }

    [Fact]
    public void The_time_ends_a_wait()
    {
        WaitWord word = new();
        word.Set(-5);
        word.Wait(-5, TimeSpan.FromMilliseconds(5)).Should().BeFalse();
        word.Wait(-5, TimeSpan.Zero).Should().BeFalse();
    }

    [Fact]
    public void One_call_wakes_all()
    {
        WaitWord word = new();
        using CountdownEvent waiting = new(8);
        Thread[] threads = Start(8, () =>
        {
            waiting.Signal();
            word.WaitWhile(0);
        });
        waiting.Wait(Patience, TestContext.Current.CancellationToken).Should().BeTrue();
        word.Set(1);
        word.WakeAll();
        JoinAll(threads);
    }

    [Fact]
    public void Threads_hand_a_turn_around()
    {
        const int Turns = 2000;
        WaitWord word = new();
        Thread[] threads = Start(2, parity =>
        {
            for (int turn = parity; turn < Turns; turn += 2)
            {
                for (int seen = word.Value; seen != turn; seen = word.Value)
                {
                    word.Wait(seen, Patience).Should().BeTrue();
                }

                word.Set(turn + 1);
                word.WakeOne();
            }
        });
        JoinAll(threads);
        word.Value.Should().Be(Turns);
    }

    [Fact]
    public void A_word_in_an_object_that_would_move_is_found_by_the_waker()
    {
        int[] holder = new int[1];
        Thread[] threads = Start(1, () =>
        {
            while (Volatile.Read(ref holder[0]) == 0)
            {
                WordWait.Wait(ref holder[0], 0, Timeout.InfiniteTimeSpan);
            }
        });
        for (int round = 0; round < 5; round++)
        {
            GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        }

        Volatile.Write(ref holder[0], 1);
        WordWait.WakeAll(ref holder[0]);
        JoinAll(threads);
    }

    [Fact]
    public unsafe void The_table_wakes_and_times_out_as_well()
    {
        int[] words = GC.AllocateArray<int>(1, pinned: true);
        fixed (int* pinned = words)
        {
            int* word = pinned;
            WordWaitTable.Wait(word, 1, Timeout.InfiniteTimeSpan).Should().BeTrue("the word has another value");
            WordWaitTable.Wait(word, 0, TimeSpan.FromMilliseconds(5)).Should().BeFalse();
            Thread[] threads = Start(4, () =>
            {
                while (Volatile.Read(ref *word) == 0)
                {
                    WordWaitTable.Wait(word, 0, Timeout.InfiniteTimeSpan);
                }
            });
            Volatile.Write(ref *word, 1);
            WordWaitTable.Wake(word);
            JoinAll(threads);
        }
    }

    private static Thread[] Start(int count, Action run) => Start(count, _ => run());

    private static Thread[] Start(int count, Action<int> run)
    {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            int number = i;
            threads[i] = new Thread(() => run(number)) { IsBackground = true };
            threads[i].Start();
        }

        return threads;
    }

    private static void JoinAll(Thread[] threads)
    {
        foreach (Thread thread in threads)
        {
            thread.Join(Patience).Should().BeTrue("a thread that waits was not woken");
        }
    }
}
