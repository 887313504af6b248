using Voron.Samples.Cluster;

// Three nodes of the document server on one machine, on three servers of a log. samples/README.md shows it.
return args is ["node", .. string[] settings] ? await Node.RunAsync(settings) : await Launcher.RunAsync(args);
