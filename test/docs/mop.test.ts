import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLab } from '../helpers/lab.ts';

const { send, addDevice, addDownDevice } = await openLab();
await addDevice('edge-1', { version: 'Version 17.9, RELEASE\r\nfree 800 of 1000 used 100' });
await addDevice('edge-2', { version: 'Version 16.1, RELEASE\r\nfree 10 of 1000 used 990' });
await addDownDevice('edge-9');

const page = readFileSync('docs/mop.md', 'utf8');
/** A request, and the answer that the page shows below it. */
const runs = [...page.matchAll(/```http\n(\w+) (\S+)\n([\s\S]*?)```\s+```json\n([\s\S]*?)```/g)].map(
  ([, method = '', path = '', body = '', answer = '']) => ({ method, path, body, answer }),
);

test('the guide of command templates answers what it shows', async () => {
  expect(runs.length).toBeGreaterThan(6);
  expect(page.match(/```http/g)).toHaveLength(runs.length);
  for (const { method, path, body, answer } of runs) {
    const told = await send('admin', method, path, JSON.parse(body));
    expect(told.json, `${method} ${path}`).toMatchObject(JSON.parse(answer));
  }
});
