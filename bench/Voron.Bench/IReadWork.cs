namespace Voron.Bench;

/// <summary>Reads that every store in the bench can do. Each returns the number of items it met.</summary>
internal interface IReadWork
{
    /// <summary>Gets every key that is asked for from one snapshot.</summary>
    long Get(Questions questions);

    /// <summary>Walks over all entries.</summary>
    long Scan();

    /// <summary>Goes to each of the keys and reads ten entries from there on; returns the number of positions.</summary>
    long Seek(Questions questions);
}
