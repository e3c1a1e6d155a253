import { afterAll, expect, test } from 'vitest';
import { openCli } from '#server/southbound/cli/cli.ts';
import { openAnsweringDevice } from '../../helpers/devices/answering-device.ts';
import { at, never } from '../../helpers/devices/cli.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
const opened: Awaited<ReturnType<typeof openAnsweringDevice>>[] = [];
afterAll(async () => {
  await cli.close();
  for (const device of opened) void device.close();
});

const ANSWERS = {
  'show version': 'Quay OS 3.1\r\nup 3 weeks\r\n',
  'show log': 'crane \u001b[6n\u001b[c moved\r\n',
};

async function deviceOf(asks?: { question: string; answer: string }) {
  const device = await openAnsweringDevice({ prompt: '\rbox#', answers: ANSWERS, ...(asks && { asks }) });
  opened.push(device);
  return { device, target: at(device, { deviceType: 'generic' }) };
}

test.each([
  ['where the cursor is', '\u001b[6n', '[1;1R'],
  ['how wide the terminal is', '\u001b[999C\u001b[6n', '[1;511R'],
  ['whether the terminal works', '\u001b[5n', '[0n'],
  ['what the terminal is, and where its cursor is', '\u001b[c\u001b[6n\u001b[?25h', '[?1;2c\u001b[1;1R'],
])('a device that shows its prompt once it knows %s answers commands', async (_, question, answer) => {
  const { device, target } = await deviceOf({ question, answer: `\u001b${answer}` });
  const { result } = await cli.run(target, ['show version', 'show version'], never(10_000));
  expect(result.map(({ output }) => output)).toEqual(Array(2).fill('Quay OS 3.1\nup 3 weeks'));
  expect(device.read.filter((line) => line !== '')).toEqual(['show version', 'show version']);
});

test('a question for the terminal within an output is not answered, so that nothing is typed', async () => {
  const { device, target } = await deviceOf();
  const { result } = await cli.run(target, ['show log', 'show version'], never(10_000));
  expect(result.map(({ output }) => output)).toEqual(['crane  moved', 'Quay OS 3.1\nup 3 weeks']);
  expect(device.read.filter((line) => line !== '')).toEqual(['show log', 'show version']);
});
