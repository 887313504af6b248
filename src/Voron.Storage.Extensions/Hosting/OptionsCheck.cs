using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Voron.Storage.Extensions.Hosting;

/// <summary>
/// Refuses settings that an open would refuse, before anything is opened: one message that names the service and the setting.
/// </summary>
internal sealed class OptionsCheck(IEnumerable<EnvironmentRegistration> registrations) : IValidateOptions<VoronStorageOptions>
{
    public ValidateOptionsResult Validate(string? name, VoronStorageOptions options)
    {
        name ??= string.Empty;
        EnvironmentRegistration? registration = registrations.FirstOrDefault(one => one.Name == name);
        if (registration is null)
        {
            return ValidateOptionsResult.Skip;
        }

        return Fault(registration, options) is { } fault
            ? ValidateOptionsResult.Fail($"Storage '{registration.Label}': {fault}")
            : ValidateOptionsResult.Success;
    }

    private static string? Fault(EnvironmentRegistration registration, VoronStorageOptions options)
    {
        if (registration.Section is { } section && !section.Exists())
        {
            return $"the configuration has no section '{section.Path}'. Add it, with a Path.";
        }

        if (string.IsNullOrWhiteSpace(options.Path) && !options.InMemory)
        {
            return registration.Section is { } place
                ? $"no Path is set. Set '{place.Path}:Path' to the database's folder."
                : "no Path is set. Set it to the database's folder where AddVoronStorage is called.";
        }

        StorageHealthLimits? limits = options.Health;
        if (limits is null || limits.MinFreeDiskBytes < 0 || limits.MaxCheckpointLagBytes < 0 || limits.MaxReaderAge < TimeSpan.Zero)
        {
            return "the limits of Health are zero or more.";
        }

        try
        {
            StorageSettings.Of(options).Validate();
            return null;
        }
        catch (ArgumentOutOfRangeException error)
        {
            return FirstLine(error.Message) + $" It is {error.ActualValue}.";
        }
        catch (ArgumentException error)
        {
            return FirstLine(error.Message);
        }
    }

    /// <summary>What is wrong, without the name of the engine's parameter, which says nothing here.</summary>
    private static string FirstLine(string message)
    {
        int end = message.IndexOf(" (Parameter", StringComparison.Ordinal);
        return end < 0 ? message : message[..end];
    }
}
