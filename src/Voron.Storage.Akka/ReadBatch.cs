namespace Voron.Storage.Akka;

/// <summary>Adds some elements with numbers from <paramref name="first"/> to <paramref name="last"/>, in order.</summary>
/// <returns>The number behind the last row that was read; <paramref name="first"/> if there is none.</returns>
internal delegate long ReadBatch<T>(long first, long last, Queue<T> into);
