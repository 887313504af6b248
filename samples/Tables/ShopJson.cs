using System.Text.Json.Serialization;

namespace Voron.Samples.Tables;

/// <summary>How rows become JSON; the compiler writes it, so nothing is looked up when the program runs.</summary>
[JsonSerializable(typeof(User))]
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Session))]
internal sealed partial class ShopJson : JsonSerializerContext;
