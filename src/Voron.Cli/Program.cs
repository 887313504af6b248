using Voron.Cli;

using Stream output = Console.OpenStandardOutput();
using Screen screen = new(
    output,
    Console.Error,
    isInteractive: !Console.IsOutputRedirected,
    showsProgress: !Console.IsErrorRedirected,
    colors: Screen.WantedColors(Environment.GetEnvironmentVariable))
{
    Input = Console.OpenStandardInput(),
};
return await CommandLine.RunAsync(args, screen);
