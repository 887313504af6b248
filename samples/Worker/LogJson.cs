using System.Text.Json.Serialization;

namespace Voron.Samples.Worker;

/// <summary>How events become JSON; the compiler writes it, so nothing is looked up when the program runs.</summary>
[JsonSerializable(typeof(LogEvent))]
internal sealed partial class LogJson : JsonSerializerContext;
