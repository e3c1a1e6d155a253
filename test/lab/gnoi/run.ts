import { openGnoiTarget } from './target.ts';

/**
 * The lab's gNOI target as a process of its own: `node --import tsx test/lab/gnoi/run.ts [port]`. Prints a line of JSON.
 */
const { port, username, password } = await openGnoiTarget({ port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${JSON.stringify({ port, username, password })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
