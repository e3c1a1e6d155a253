import type { Mood } from './devices/moods.ts';
import { SCRIPTS } from './devices/scripts.ts';
import { ACCOUNT, openDevice } from './devices/simulator.ts';
import { MOODY } from './world.ts';

/*
 * A device that misbehaves, as a process of its own: `node --import tsx test/lab/moody.ts hanging`. Prints a line of JSON.
 */
const moods: Record<(typeof MOODY)[number], Mood> = {
  slow: { delayMs: 1500 },
  hanging: { silent: true },
  dropping: { login: 'drops' },
  refusing: { login: 'refuses' },
};

const wanted = MOODY.find((mood) => mood === process.argv[2]);
const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios');
if (!wanted || !script) throw new Error(`a moody device is one of ${MOODY.join(', ')}`);
const { port } = await openDevice(script, { mood: moods[wanted] });
const { username, password, enable } = ACCOUNT;
process.stdout.write(`${JSON.stringify({ port, username, password, enable })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
