import { expect, test } from 'vitest';
import { commandReport, commandTime } from '../ha/command-times.ts';

const answered = (connect: number, elapsed: number, total: number) => ({
  session: { reused: connect === 0 },
  result: [{ elapsed_ms: elapsed }],
  timings: { queue_ms: 100, connect_ms: connect, total_ms: total },
});

test('the parts of the time of a command are all of it', () => {
  const { totalMs, process, reused, ...parts } = commandTime(26_000, 's1', answered(8800, 300, 25_100));
  expect({ process, reused }).toEqual({ process: 's1', reused: false });
  expect(parts).toEqual({ request: 900, thread: 15_900, queue: 100, connect: 8800, command: 300 });
  expect(Object.values(parts).reduce((sum, ms) => sum + ms, 0)).toBe(totalMs);
});

test('a report names the parts of slow commands alone, the slowest first', () => {
  const times = [30, 26_000, 40, 7000].map((ms) => commandTime(ms, 's2', answered(0, 20, ms - 10)));
  const [first, ...slow] = commandReport(times);
  expect(first).toContain('all within 26.0 s; 2 took longer than 5.0 s');
  expect(slow.map((line) => line.trim().split(' ')[0])).toEqual(['26.0', '7.0']);
  expect(slow[0]).toContain('session reused: request 0.0 s, thread 25.9 s, queue 0.1 s');
});

test('an answer without times, as of a device that failed, counts as time of the request', () => {
  expect(commandTime(500, 's0', { code: 'BAD_GATEWAY' })).toMatchObject({
    request: 500,
    thread: 0,
    command: 0,
  });
});
