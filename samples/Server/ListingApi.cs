using System.Globalization;

namespace Voron.Samples.Server;

/// <summary>The addresses that list collections and ids, from a snapshot.</summary>
/// <param name="store">The documents.</param>
/// <param name="isShown">Which collections are named.</param>
internal sealed class ListingApi(Func<DocumentStore> store, Func<string, bool> isShown)
{
    private const int MostInScan = 10_000;

    internal void Map(IEndpointRouteBuilder routes)
    {
        routes.MapGet("/docs", CollectionsAsync);
        routes.MapGet("/docs/{collection}", ScanAsync);
    }

    private Task CollectionsAsync(HttpContext context) => Requests.AnswerAsync(context, json =>
    {
        json.WriteStartObject();
        foreach ((string collection, long count) in store().Collections().Where(one => isShown(one.Collection)))
        {
            json.WriteNumber(collection, count);
        }

        json.WriteEndObject();
    });

    private Task ScanAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        int most = query.TryGetValue("take", out var take) ? int.Parse(take.ToString(), CultureInfo.InvariantCulture) : 100;
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most, "take");
        ArgumentOutOfRangeException.ThrowIfGreaterThan(most, MostInScan, "take");
        string from = query["from"].ToString();
        string prefix = query["prefix"].ToString();
        return Requests.AnswerAsync(context, json =>
        {
            json.WriteStartArray();
            foreach ((string id, long bytes) in store().Scan(Requests.CollectionOf(context), from, prefix, most))
            {
                json.WriteStartObject();
                json.WriteString("id", id);
                json.WriteNumber("bytes", bytes);
                json.WriteEndObject();
            }

            json.WriteEndArray();
        });
    }
}
