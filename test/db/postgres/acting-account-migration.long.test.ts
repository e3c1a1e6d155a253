import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { insertJobs } from '#server/domains/workflow/jobs/store/new-job.service.ts';
import { keepPlan } from '#server/domains/workflow/jobs/store/plans.service.ts';
import { openOperations } from '../../helpers/operations.ts';
import { workflowOf } from '../../helpers/workflows.ts';

const service = await openOperations();
const { db, platform, automation, store, trigger } = service;
const admin = (await service.callerWith('admin')).caller.id;
const writer = (await service.callerWith('apiwrite')).caller.id;
const GONE = '0123456789abcdef01234567';

/** What the migration does to documents: all before the tables and functions that it makes. */
const text = await readFile(
  new URL('../../../db/migrations/0035_acting_account.sql', import.meta.url),
  'utf8',
);
const migrated = async () => {
  for (const statement of text.split('--> statement-breakpoint')) {
    if (!/CREATE /.test(statement)) await db.execute(sql.raw(statement));
  }
};

const docOf = async (table: 'triggers' | 'jobs', id: string) => {
  const [row] = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from ${sql.raw(table)} where id = ${id}`,
  );
  return JSON.parse(row?.doc ?? '{}') as Record<string, unknown>;
};

/** A trigger as an older version stored it. */
async function oldTrigger(actionId: string, type: 'schedule' | 'manual', lastUpdatedBy: string, more = {}) {
  const { _id } = await trigger(actionId, { name: type, type, firstRunAt: Date.now() + 86_400_000 });
  const members = JSON.stringify({ lastUpdatedBy, ...more });
  await db.execute(sql`update triggers set doc = doc - 'runAs' || ${members}::text::jsonb where id = ${_id}`);
  return _id;
}

async function oldJob(name: string, account: string | null, status = 'running') {
  const flow = workflowOf(name);
  const [made] = await inTransaction(db, async (tx) =>
    insertJobs({ db: tx, platform }, [
      {
        workflow: flow,
        planId: await keepPlan(tx, flow),
        projectId: null,
        variables: {},
        groups: [],
        account,
        actingAccount: admin,
        initiator: 'system',
      },
    ]),
  );
  const id = String(made?.head._id);
  await db.execute(
    sql`update jobs set doc = doc - 'actingAccount' || jsonb_build_object('status', ${status}::text) where id = ${id}`,
  );
  return id;
}

test('an upgrade sets the accounts of triggers and jobs, and disables triggers without an account', async () => {
  const flow = await store('workflow', 'Nightly');
  const shared = await store('workflow', 'Of two authors');
  const nightly = await automation('Nightly', { componentId: flow.id });
  const both = await automation('Both', { componentId: shared.id });
  const spoofed = await oldTrigger(nightly._id, 'schedule', writer, { runAs: admin, lastResult: 'x' });
  const orphan = await oldTrigger(both._id, 'schedule', GONE);
  const byHand = await oldTrigger(both._id, 'manual', GONE, { runAs: admin });
  await oldTrigger(both._id, 'schedule', writer);
  const mine = await oldJob('Nightly', writer);
  const scheduled = await oldJob('Nightly', null, 'error');
  const unclear = await oldJob('Of two authors', null);
  const ended = await oldJob('Nightly', writer, 'complete');
  await migrated();

  expect(await docOf('triggers', spoofed)).toMatchObject({ runAs: writer, enabled: true });
  expect(await docOf('triggers', spoofed)).not.toHaveProperty('lastResult');
  expect(await docOf('triggers', orphan)).toMatchObject({
    enabled: false,
    runAs: null,
    nextRunAt: null,
    lastResult: { started: false, message: expect.stringContaining('Disabled by the upgrade') },
  });
  expect(await docOf('triggers', byHand)).toMatchObject({ enabled: true });
  expect(await docOf('triggers', byHand)).not.toHaveProperty('runAs');
  expect(await docOf('jobs', mine)).toMatchObject({ actingAccount: writer });
  expect(await docOf('jobs', scheduled)).toMatchObject({ actingAccount: writer, created_by: null });
  for (const id of [unclear, ended]) expect(await docOf('jobs', id)).not.toHaveProperty('actingAccount');

  const enabled = await service.done<{ runAs: string }>('PATCH', `/triggers/${orphan}`, {
    trigger: { enabled: true },
  });
  expect(enabled.data.runAs).toBe(admin);
});
