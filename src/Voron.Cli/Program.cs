using Voron.Cli;

using Stream output = Console.OpenStandardOutput();
using Screen screen = new(output, Console.Error, isInteractive: !Console.IsOutputRedirected, showsProgress: !Console.IsErrorRedirected);
return await CommandLine.RunAsync(args, screen);
