using System.Buffers;
using System.Globalization;
using FluentAssertions;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Caching;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Caching;

public sealed class CacheTests : IDisposable
{
    private static readonly DistributedCacheEntryOptions Forever = new();

    private readonly TestHost _host = new();
    private readonly ManualTime _time = new();

    public CacheTests()
    {
        _host.Services.AddSingleton<TimeProvider>(_time);
        _host.Services.AddVoronStorage(static options => options.InMemory = true);
        _host.Services.AddVoronDistributedCache();
    }

    private IBufferDistributedCache Cache => _host.Provider.GetRequiredService<IBufferDistributedCache>();

    private VoronCache Inner => _host.Provider.GetRequiredService<VoronCache>();

    public void Dispose() => _host.Dispose();

    [Fact]
    public async Task What_was_set_is_got_until_it_is_removed()
    {
        Cache.Get("a").Should().BeNull();
        Cache.Set("a", [1, 2], Forever);
        Cache.Get("a").Should().Equal(1, 2);
        await Cache.SetAsync("a", [3], Forever);
        (await Cache.GetAsync("a")).Should().Equal(3);
        await Cache.SetAsync("empty", [], Forever);
        (await Cache.GetAsync("empty")).Should().BeEmpty();
        await Cache.RemoveAsync("a");
        Cache.Get("a").Should().BeNull();
        Cache.Remove("never there");
        _host.Provider.GetRequiredService<IDistributedCache>().Should().BeSameAs(Cache);
    }

    [Fact]
    public async Task Buffers_in_pieces_go_in_and_out()
    {
        ReadOnlySequence<byte> pieces = Pieces([1, 2], [3], [4, 5, 6]);
        await Cache.SetAsync("a", pieces, Forever);
        Cache.Set("b", pieces, Forever);
        ArrayBufferWriter<byte> got = new();
        (await Cache.TryGetAsync("a", got)).Should().BeTrue();
        Cache.TryGet("b", got).Should().BeTrue();
        Cache.TryGet("c", got).Should().BeFalse();
        got.WrittenSpan.ToArray().Should().Equal(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    }

    [Fact]
    public void An_absolute_end_is_exact()
    {
        Cache.Set("from now", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1) });
        Cache.Set("at", [1], new DistributedCacheEntryOptions { AbsoluteExpiration = _time.Now.AddMinutes(1) });
        _time.Now += TimeSpan.FromMinutes(1) - TimeSpan.FromTicks(1);
        Cache.Get("from now").Should().NotBeNull();
        Cache.Get("at").Should().NotBeNull();
        _time.Now += TimeSpan.FromTicks(1);
        Cache.Get("from now").Should().BeNull();
        Cache.Get("at").Should().BeNull();
    }

    [Fact]
    public async Task A_sliding_end_moves_with_each_use_and_not_beyond_the_absolute_one()
    {
        DistributedCacheEntryOptions options = new()
        {
            SlidingExpiration = TimeSpan.FromMinutes(8),
            AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(60),
        };
        foreach (string key in new[] { "get", "async", "refresh", "unused" })
        {
            Cache.Set(key, [7], options);
        }

        for (int minute = 8; minute <= 56; minute += 8)
        {
            _time.Now += TimeSpan.FromMinutes(8);
            Cache.Get("get").Should().Equal([7], "it was used 8 minutes before, at {0}", minute);
            (await Cache.GetAsync("async")).Should().Equal(7);
            await Cache.RefreshAsync("refresh");
        }

        Cache.Get("unused").Should().BeNull();
        Cache.Get("refresh").Should().Equal(7);
        _time.Now += TimeSpan.FromMinutes(4);
        Cache.Get("get").Should().BeNull("the absolute end has come");
    }

    [Fact]
    public void Few_uses_are_written_down()
    {
        Cache.Set("a", [7], new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(80) });
        long before = _host.Storage.GetReport().Commits;
        for (int second = 0; second < 80; second++)
        {
            _time.Now += TimeSpan.FromSeconds(1);
            Cache.Get("a").Should().NotBeNull();
        }

        (_host.Storage.GetReport().Commits - before).Should().BeInRange(1, 8);
    }

    [Fact]
    public async Task What_has_expired_is_swept_and_nothing_else()
    {
        for (int i = 0; i < 2_500; i++)
        {
            Cache.Set($"old {i}", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(1) });
        }

        Cache.Set("old 0", [2], Forever);
        Cache.Set("young", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(3) });
        _time.Now += TimeSpan.FromSeconds(2);
        (await Inner.SweepAsync(CancellationToken.None)).Should().Be(2_499);
        (await Inner.SweepAsync(CancellationToken.None)).Should().Be(0);
        Cache.Get("old 0").Should().Equal(2);
        Cache.Get("young").Should().Equal(1);
        using ReadTransaction read = _host.Storage.BeginRead();
        read.OpenTree("cache").Count.Should().Be(2);
        read.OpenTree("cache.expiry").Count.Should().Be(1);
    }

    /// <summary>Random calls beside a dictionary; every entry that expires has exactly one row that says when.</summary>
    [Fact]
    public async Task It_does_what_a_dictionary_with_times_does()
    {
        int seed = Environment.GetEnvironmentVariable("VORON_SEED") is { Length: > 0 } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Random.Shared.Next();
        Random random = new(seed);
        Dictionary<string, (byte Value, DateTimeOffset Ends)> model = [];
        for (int i = 0; i < 3_000; i++)
        {
            string key = $"k{random.Next(40)}";
            switch (random.Next(6))
            {
                case 0 or 1:
                    TimeSpan? lives = random.Next(3) == 0 ? null : TimeSpan.FromSeconds(random.Next(1, 20));
                    byte value = (byte)random.Next(256);
                    Cache.Set(key, [value], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = lives });
                    model[key] = (value, lives is { } time ? _time.Now + time : DateTimeOffset.MaxValue);
                    break;
                case 2:
                    await Cache.RemoveAsync(key);
                    model.Remove(key);
                    break;
                case 3:
                    _time.Now += TimeSpan.FromSeconds(random.Next(3));
                    break;
                case 4 when random.Next(10) == 0:
                    await Inner.SweepAsync(CancellationToken.None);
                    break;
                default:
                    byte[]? expected = model.TryGetValue(key, out var entry) && entry.Ends > _time.Now ? [entry.Value] : null;
                    Cache.Get(key).Should().Equal(expected, "VORON_SEED={0} repeats it, step {1}", seed, i);
                    break;
            }
        }

        await Inner.SweepAsync(CancellationToken.None);
        using ReadTransaction read = _host.Storage.BeginRead();
        read.OpenTree("cache").Count.Should().Be(model.Values.Count(one => one.Ends > _time.Now), "VORON_SEED={0} repeats it", seed);
        read.OpenTree("cache.expiry").Count.Should()
            .Be(model.Values.Count(one => one.Ends > _time.Now && one.Ends != DateTimeOffset.MaxValue), "VORON_SEED={0} repeats it", seed);
        _host.Storage.Check().IsClean.Should().BeTrue();
    }

    [Fact]
    public void Bad_arguments_are_refused()
    {
        Cache.Invoking(static one => one.Get(null!)).Should().Throw<ArgumentNullException>();
        Cache.Invoking(static one => one.Set("a", (byte[])null!, Forever)).Should().Throw<ArgumentNullException>();
        Cache.Invoking(static one => one.Set("a", [], null!)).Should().Throw<ArgumentNullException>();
        Cache.Invoking(static one => one.Get(new string('k', 2041))).Should().Throw<ArgumentException>()
            .WithMessage("The key has 2041 bytes; keys of the cache have at most 2040.*");
        Cache.Invoking(static one => one.Get("half of a pair: \ud800")).Should().Throw<ArgumentException>();
        Cache.Invoking(one => one.Set("a", [], new DistributedCacheEntryOptions { AbsoluteExpiration = _time.Now })).Should()
            .Throw<ArgumentOutOfRangeException>();
    }

    [Fact]
    public async Task A_cache_without_storage_or_with_bad_settings_does_not_start()
    {
        using TestHost alone = new();
        alone.Services.AddVoronDistributedCache();
        (await alone.Invoking(one => one.StartAsync()).Should().ThrowAsync<InvalidOperationException>()).Which.Message.Should()
            .Be("There is no storage 'default'. Call AddVoronStorage or AddKeyedVoronStorage for it.");
        using TestHost bad = new();
        bad.Services.AddVoronStorage(static options => options.InMemory = true);
        bad.Services.AddVoronDistributedCache(static options => options.SweepInterval = TimeSpan.Zero);
        (await bad.Invoking(one => one.StartAsync()).Should().ThrowAsync<OptionsValidationException>()).Which.Message.Should()
            .Be("The cache's SweepInterval is between a millisecond and a day.");
    }

    [Fact]
    public async Task Entries_outlive_the_process_and_the_host_sweeps_by_itself()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(static options => options.Path = "data");
        host.Services.AddVoronDistributedCache(static options => options.SweepInterval = TimeSpan.FromMilliseconds(5));
        await host.StartAsync();
        IDistributedCache cache = host.Provider.GetRequiredService<IDistributedCache>();
        await cache.SetAsync("stays", [1], Forever);
        await cache.SetAsync(
            "goes", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(1) });
        while (CountOf(host.Storage) > 1)
        {
            await Task.Delay(5);
        }

        await host.Running.StopAsync();
        using StorageEnvironment again = StorageEnvironment.Open(host.At("data"));
        using ReadTransaction read = again.BeginRead();
        read.OpenTree("cache").Contains("stays"u8).Should().BeTrue();
    }

    private static long CountOf(StorageEnvironment storage)
    {
        using ReadTransaction read = storage.BeginRead();
        return read.OpenTree("cache").Count;
    }

    private static ReadOnlySequence<byte> Pieces(params byte[][] pieces)
    {
        Piece first = new(pieces[0], 0);
        Piece last = first;
        foreach (byte[] piece in pieces[1..])
        {
            last = last.Before(piece);
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        internal Piece(byte[] bytes, long at)
        {
            Memory = bytes;
            RunningIndex = at;
        }

        internal Piece Before(byte[] bytes)
        {
            Piece next = new(bytes, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
