import { openOrchestrator } from './orchestrator.ts';

/**
 * The lab's orchestrator as a process of its own: `node --import tsx test/lab/orchestrator/run.ts [port]`. Prints a line of
 * JSON.
 */
const { port, username, password } = await openOrchestrator({ port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${JSON.stringify({ port, username, password })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
