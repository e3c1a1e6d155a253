import { afterAll, expect, test } from 'vitest';
import { netboxDevice, openNetbox } from '../../../helpers/inventory/netbox.ts';
import { unique } from '../../../helpers/procedures.ts';
import { until } from '../../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../../helpers/processes/started.ts';
import { openService } from '../../../helpers/service.ts';

process.env.ALLOW_PRIVATE_TARGETS = '1';
const service = await openService();
const { inventory } = await service.as('admin');
const netbox = await openNetbox();
const started = openProcesses('jobs-process');
afterAll(started.end);

const startProcess = () => started.start(JSON.stringify(service.connection), service.key.toString('hex'));

test('a run whose process is killed is finished by another, with every device old or new', async () => {
  const count = 4000;
  const id = unique('crash').replace(' ', '-');
  netbox.state.devices = Array.from({ length: count }, (_, at) => netboxDevice(`${id}-${at}`));
  const source = { name: id, type: 'netbox' as const, url: netbox.url, token: netbox.token };
  await inventory.createSource({ source });
  const doomed = await startProcess();
  const { runId } = await inventory.syncSource({ id });
  const run = () => inventory.getRun({ runId });
  await until('a first batch', async () => ((await run()).progress.done > 0 ? true : undefined));
  await kill(doomed);
  const { total } = await inventory.listSelection({ selection: { sources: [id] } });
  expect(total).toBe((await run()).progress.done);
  await startProcess();
  const ended = await until(
    'the end of the run',
    async () => {
      const found = await run();
      return found.status === 'running' ? undefined : found;
    },
    120,
  );
  expect(ended).toMatchObject({ status: 'complete', new: count, changed: 0, unchanged: 0, issues: [] });
  expect((await inventory.listSelection({ selection: { sources: [id] } })).total).toBe(count);
});
