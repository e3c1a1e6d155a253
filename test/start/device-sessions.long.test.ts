import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { asAdminOf, openLaunching, stopInTime } from '../helpers/processes/launched-service.ts';
import { until } from '../helpers/processes/processes.ts';

const { launch, addSilentDevice } = openLaunching();

test('a service with devices is ready with the thread of their sessions, and one without devices has none', async () => {
  const first = await launch();
  // An order waits as a file until a thread of this name reads it, which takes it away.
  await first.order('sessions', 'exit');
  await sleep(1000);
  expect(existsSync(join(first.folder, 'sessions'))).toBe(true);
  const { device } = await addSilentDevice(await asAdminOf(first.url));
  await stopInTime(first.child, first.folder);

  const second = await launch({ folder: first.folder });
  await until('the order is read', () => !existsSync(join(second.folder, 'sessions')) || undefined);
  expect(device.sessions).toBe(0);
  await stopInTime(second.child, second.folder);
});
