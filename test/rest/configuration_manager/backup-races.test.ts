import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { importBackups } from '#server/domains/golden-config/backups/backup-import.service.ts';
import { deleteBackups } from '#server/domains/golden-config/backups/backups.service.ts';
import { openConfiguration } from '../../helpers/configuration.ts';

const { callerWith, db, platform, send } = await openConfiguration();
const { caller } = await callerWith('admin');

const writing = (tx: Database) => ({
  db: tx,
  principal: caller,
  platform,
  request: { ifMatch: null },
  answer: { headers: {} },
});
const importOne = (tx: Database, id: string, rawConfig: string) =>
  importBackups(writing(tx), [{ id, name: 'edge', rawConfig }]).then(({ count }) => count);
const deleteOne = (id: string) => inTransaction(db, (tx) => deleteBackups(writing(tx), [id]));

/** Wait until the work is done, or waits for a lock that somebody else holds. */
async function settledOrBlocked(work: Promise<unknown>): Promise<'settled' | 'blocked'> {
  const settled = work.then(() => 'settled' as const);
  for (;;) {
    const waiting = await rows<{ pid: number }>(
      db,
      sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return 'blocked';
    const state = await Promise.race([settled, new Promise<null>((done) => setTimeout(done, 5, null))]);
    if (state) return state;
  }
}

const textOf = async (id: string) =>
  ((await send('GET', `/backups/${id}`)).json as { rawConfig?: string }).rawConfig;

test('a text that is imported again while its last backup is deleted stays: the import came first', async () => {
  const [old, fresh, rawConfig] = [newId(), newId(), `text ${newId()}`];
  await inTransaction(db, (tx) => importOne(tx, old, rawConfig));
  let deleting: Promise<number> = Promise.resolve(0);
  await inTransaction(db, async (tx) => {
    await importOne(tx, fresh, rawConfig);
    deleting = deleteOne(old);
    expect(await settledOrBlocked(deleting)).toBe('blocked');
  });
  expect(await deleting).toBe(1);
  expect(await textOf(fresh)).toBe(rawConfig);
});

test('a text that is imported again while its last backup is deleted stays: the delete came first', async () => {
  const [old, fresh, rawConfig] = [newId(), newId(), `text ${newId()}`];
  await inTransaction(db, (tx) => importOne(tx, old, rawConfig));
  let importing: Promise<number> = Promise.resolve(0);
  await inTransaction(db, async (tx) => {
    await deleteBackups(writing(tx), [old]);
    importing = inTransaction(db, (other) => importOne(other, fresh, rawConfig));
    expect(await settledOrBlocked(importing)).toBe('blocked');
  });
  expect(await importing).toBe(1);
  expect(await textOf(fresh)).toBe(rawConfig);
});

test('a text that is stored and deleted by another request during its import is kept', async () => {
  const [old, fresh, rawConfig] = [newId(), newId(), `text ${newId()}`];
  let deleting: Promise<number> = Promise.resolve(0);
  await inTransaction(db, async (tx) => {
    // Between looking for the text and storing it, another import stores it and is done.
    const interrupted = beforeInsert(tx, () =>
      inTransaction(db, (other) => importOne(other, old, rawConfig)),
    );
    await importOne(interrupted, fresh, rawConfig);
    deleting = deleteOne(old);
    expect(await settledOrBlocked(deleting)).toBe('blocked');
  });
  expect(await deleting).toBe(1);
  expect(await textOf(fresh)).toBe(rawConfig);
});

/** The transaction, with something done before its first insert. */
function beforeInsert(tx: Database, run: () => Promise<unknown>): Database {
  let done = false;
  return new Proxy(tx, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'execute') return member.bind(target);
      return async (query: SQL) => {
        if (!done && new PgDialect().sqlToQuery(query).sql.trim().startsWith('insert')) {
          done = true;
          await run();
        }
        return member.call(target, query);
      };
    },
  });
}
