namespace Voron.Storage.Extensions.Caching;

/// <summary>A change of the cache in a write transaction.</summary>
internal delegate void CacheChange<T>(CacheTrees trees, T state);
