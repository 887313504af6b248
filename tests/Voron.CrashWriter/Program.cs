using Voron.CrashWriter;

// Usage: Voron.CrashWriter FOLDER SEED. Writes transactions until it is killed; the other end of standard output learns what was acknowledged.
return args.Length == 2 && ulong.TryParse(args[1], out ulong seed) ? CrashWriting.Run(args[0], seed) : 2;
