import { configuredDevice } from './devices/configured-device.ts';
import type { Mood } from './devices/moods.ts';
import { ACCOUNT, openDevice } from './devices/simulator.ts';
import { FAULTY, nameOf } from './world.ts';

/*
 * A device that misbehaves, as a process of its own: `node --import tsx test/lab/moody.ts hanging`. Prints a line of JSON.
 */
const moods: Record<(typeof FAULTY)[number], Mood> = {
  slow: { delayMs: 1500 },
  hanging: { silent: true },
  dropping: { login: 'drops' },
  refusing: { login: 'refuses' },
};

const wanted = FAULTY.find((mood) => mood === process.argv[2]);
if (!wanted) throw new Error(`a moody device is one of ${FAULTY.join(', ')}`);
const configured = configuredDevice('cisco_ios', nameOf(wanted));
const { port } = await openDevice(configured.script, { mood: moods[wanted], configured });
const { username, password, enable } = ACCOUNT;
process.stdout.write(`${JSON.stringify({ port, username, password, enable })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
