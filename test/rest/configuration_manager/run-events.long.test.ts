import { expect, test } from 'vitest';
import { EVENTS } from '#server/domains/workflow/triggers/events.ts';
import { compileSchema } from '#server/kernel/validation/json-schema.ts';
import { openFleet, TEN_LINES, TEN_RULES } from '../../helpers/devices/fleet.ts';
import { listenTo } from '../../helpers/jobs/events.ts';

const fleet = await openFleet();
const { backUp, ended, start, tree } = fleet;

test('a run publishes events for its reports as they are stored, and for its end with the totals of all', async () => {
  const { at, place, treeId } = await tree(TEN_RULES);
  await place('base', ['told-1', 'told-2', 'told-3']);
  await backUp({ 'told-1': TEN_LINES, 'told-2': TEN_LINES });
  const { token } = await fleet.callerWith('admin');
  const reader = await listenTo(fleet.url, {
    token,
    query: `?subjects=${treeId}&topics=complianceBatchFinished&topics=complianceReportsStored`,
  });
  await reader.begun();
  const batchId = await start(at('base'));
  await ended(batchId);
  const [finished] = await reader.reported(1, ({ topic }) => topic === 'complianceBatchFinished');
  expect(finished?.payload).toEqual({
    batchId,
    ...at('base'),
    places: [at('base')],
    reports: 3,
    totals: { errors: 2, warnings: 4, infos: 0, passes: 14 },
  });
  const stored = reader.events().filter(({ topic }) => topic === 'complianceReportsStored');
  expect(stored.at(-1)?.payload).toMatchObject({ batchId, done: 3, errors: 1, total: 3 });
  expect(Number(finished?.id)).toBeGreaterThan(Number(stored.at(-1)?.id));
  for (const { source, topic, payload } of reader.events()) {
    const event = EVENTS.find((one) => one.source === source && one.topic === topic);
    expect(compileSchema(event?.definition ?? false)(payload)).toEqual([]);
  }
  reader.cut();
});
