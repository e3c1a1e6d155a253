import { expect, test } from 'vitest';
import { inTransaction, openDatabase, rows } from '#db/client.ts';
import { callPublishedListeners, onPublished } from '#db/connections/publish.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { sql } from '#db/statement.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { makePartitions } from '#server/domains/golden-config/compliance/runs/partitions.service.ts';
import { findPlan, keepPlan } from '#server/domains/workflow/jobs/store/plans.service.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';
import { workflowOf } from '../../helpers/workflows.ts';

const [first, second] = [await openTestDatabase(), await openTestDatabase()];

const resource = defineResource({
  name: 'workflows',
  schema: Workflow,
  source: workflows,
  columns: { name: workflows.name, type: workflows.type },
});

test('cached totals and positions of lists of one database are not used for another', async () => {
  for (const [{ db }, count] of [
    [first, 6000],
    [second, 5500],
  ] as const) {
    await rows(
      db,
      sql`insert into workflows (id, doc) select lpad(n::text, 6, '0'),
            jsonb_build_object('_id', lpad(n::text, 6, '0'), 'name', 'name ' || lpad(n::text, 6, '0'), 'type', 'automation')
          from generate_series(1, ${count}::int) n`,
    );
  }
  const page = (query: object) =>
    [first, second].map(({ db }) => list(db, resource, readList(resource, query)));
  const filtered = { contains: { name: 'name' }, limit: 1 };
  for (let round = 0; round < 2; round += 1) {
    const [one, other] = await Promise.all(page(filtered));
    expect([one?.total, other?.total]).toEqual([6000, 5500]);
  }
  await rows(second.db, sql`delete from workflows where id <= '001000'`);
  for (const skip of [3000, 3001]) {
    const [one, other] = await Promise.all(page({ sort: 'name', skip, limit: 1 }));
    const names = [one, other].map((found) => (JSON.parse(found?.texts[0] ?? '{}') as Workflow).name);
    expect(names).toEqual([skip + 1, skip + 1001].map((at) => `name ${String(at).padStart(6, '0')}`));
  }
});

test('a plan that is known of one database is not found in another', async () => {
  const id = await keepPlan(first.db, workflowOf('Known'));
  expect(Object.keys((await findPlan(first.db, id)).tasks)).toContain('workflow_start');
  await expect(findPlan(second.db, id)).rejects.toThrow('does not exist');
});

test('each database gets the partition of a month', async () => {
  // The template has those of this month and the next.
  const month = new Date(Date.now() - 100 * 24 * 3600 * 1000);
  const name = `compliance_report_${month.toISOString().slice(0, 7).replace('-', '')}`;
  for (const { db } of [first, second]) {
    await makePartitions(db, [month]);
    const [found] = await rows<{ made: boolean }>(db, sql`select to_regclass(${name}) is not null as made`);
    expect(found?.made).toBe(true);
  }
});

test('listeners for events hear of their own database, through whichever pool or transaction', async () => {
  const heard: string[] = [];
  const ends = [
    onPublished(first.db, () => heard.push('first')),
    onPublished(second.db, () => heard.push('second')),
  ];
  const pool = openDatabase({ connection: second.connection, max: 1 });
  callPublishedListeners(first.db);
  await inTransaction(pool.db, async (tx) => callPublishedListeners(tx));
  for (const end of ends) end();
  callPublishedListeners(first.db);
  await pool.close();
  expect(heard).toEqual(['first', 'second']);
});
