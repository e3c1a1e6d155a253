import { afterAll, describe, expect, test } from 'vitest';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import { openCli } from '#server/southbound/cli/cli.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import { sampled } from '../../helpers/long.ts';
import type { Mood } from '../../lab/devices/moods.ts';
import type { Script } from '../../lab/devices/script.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { openDevice } from '../../lab/devices/simulator.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
afterAll(() => cli.close());

const COMMANDS = [
  'show version',
  'show lines',
  'show trap',
  'show slow',
  'show utf8',
  'nonsense',
  'show version',
];
const LINES = Array.from({ length: 300 }, (_, index) => `line ${index + 1} of 300`).join('\n');
const SLOW = [0, 1, 2, 3].map((part) => `part ${part} of four`).join('\n');

test('there is a simulated device of every kind that has a driver', () => {
  const simulated = new Set(SCRIPTS.map(({ device_type }) => device_type));
  const without = cli.drivers.map(({ device_type }) => device_type).filter((one) => !simulated.has(one));
  expect(without).toEqual(['autodetect']);
});

/** Devices with a session at the same time. */
const AT_ONCE = 16;
const inTurn = openKeyedSemaphore(10_000);

/** What a device answered to all commands. */
async function answersOf(script: Script, mood: Mood, deviceType: string) {
  const end = await inTurn('', AT_ONCE, AbortSignal.timeout(600_000));
  const device = await openDevice(script, { mood });
  try {
    return (await cli.run(at(device, { deviceType }), COMMANDS, never(10_000))).result;
  } finally {
    await device.close();
    end?.();
  }
}

/** Devices whose Enter key, shell that one lands in, or line before each output only their own driver knows. */
const isPeculiar = ({ enter, landing, preamble }: Script) =>
  enter === '\r' || landing !== undefined || preamble !== undefined;

describe.each([
  { reported: 'as it is', mood: {}, driver: null, scripts: sampled(SCRIPTS, 20) },
  {
    reported: 'while nothing turns its pager off',
    mood: { pages: true },
    driver: null,
    scripts: sampled(SCRIPTS, 2),
  },
  {
    reported: 'with the generic driver',
    mood: {},
    driver: 'generic',
    scripts: sampled(
      SCRIPTS.filter((one) => !isPeculiar(one)),
      2,
    ),
  },
  {
    reported: 'that is recognised first',
    mood: {},
    driver: 'autodetect',
    scripts: sampled(
      SCRIPTS.filter(({ enter, landing }) => enter !== '\r' && landing === undefined),
      2,
    ),
  },
])('a device $reported', ({ mood, driver, scripts }) => {
  const answers = new Map(
    scripts.map((script) => [
      script,
      answersOf(script, mood, driver ?? script.device_type).catch((error: unknown) => error as Error),
    ]),
  );
  test.each(scripts)('$device_type answers each command with what belongs to it', async (script) => {
    const result = await answers.get(script);
    if (!Array.isArray(result)) throw result;
    const reported = result.map(({ status, output }) => ({ status, output }));
    const version = { status: 'success', output: `${script.version}\nuptime is 3 weeks` };
    expect(reported[0]).toEqual(version);
    expect(reported[1]).toEqual({ status: 'success', output: LINES });
    expect(reported[2]?.output).toMatch(/^before\n.*show version\nafter$/s);
    expect(reported[3]).toEqual({ status: 'success', output: SLOW });
    expect(reported[4]).toEqual({ status: 'success', output: 'Zürich → 東京 ✓' });
    if (driver === null) expect(reported[5]?.status).toBe('failed');
    expect(reported[6]).toEqual(version);
  });
});

test('a device that echoes nothing, and does not end the line at Enter either, answers each command', async () => {
  const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios');
  if (!script) throw new Error('no script of cisco_ios');
  const result = await answersOf(script, { mute: true, unended: true }, 'cisco_ios');
  const version = {
    status: 'success',
    output: `${script.version}\nuptime is 3 weeks`,
    prompt: result[0]?.prompt,
  };
  expect(result[0]).toMatchObject(version);
  expect(result[1]).toMatchObject({ status: 'success', output: LINES });
  expect(result[6]).toMatchObject(version);
});
