using System.Runtime.ExceptionServices;

namespace Voron.Bench;

/// <summary>Work that runs in threads of its own.</summary>
internal static class Threads
{
    /// <summary>Runs so many threads to their end; the first failure of one is thrown here.</summary>
    internal static void Run(int count, Action<int> work)
    {
        ExceptionDispatchInfo? failure = null;
        Thread[] threads =
        [
            .. Enumerable.Range(0, count).Select(place => new Thread(() =>
            {
                try
                {
                    work(place);
                }
                catch (Exception thrown)
                {
                    Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(thrown), null);
                }
            })),
        ];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());
        failure?.Throw();
    }
}
