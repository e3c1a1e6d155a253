/*
 * Loaded first into each program of the lab: it ends when whoever started it does, however that ended, because the pipe on
 * its standard input closes then.
 */
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdin.resume();
