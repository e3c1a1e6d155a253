import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { cellOf, columnsOf } from '#server/domains/studio/lists/columns.ts';
import { listNames, listReaderOf } from '#server/http/lists.ts';
import type { Role } from '#server/kernel/roles.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { db, send } = service;

/** Rows of the audit trail that the tests store: in the long form, more than a typed caller gets in one text. */
const STORED = isLong ? 50_001 : 12_001;
/** The last row that is left after a thousand were deleted. */
const LEFT = STORED - 1001;

const address = (list: string, input?: object, columns?: string) => {
  const query = new URLSearchParams({
    ...(input && { input: JSON.stringify(input) }),
    ...(columns !== undefined && { columns }),
  });
  return `/lists/${list}/csv?${query}`;
};
const AUDIT = 'audit.listEntries';
const STORED_ONLY = { queryOptions: { equals: { account: 'stored' }, sort: 'requestId', order: 1 } };
/** How many transactions read from a snapshot at the moment. */
const snapshots = async () => {
  const [{ open } = { open: '' }] = await rows<{ open: string }>(
    db,
    sql`select count(*) as open from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
  );
  return Number(open);
};

beforeAll(async () => {
  await db.execute(
    sql`insert into audit (id, doc)
        select lpad(to_hex(n), 24, '0'), jsonb_build_object(
          '_id', lpad(to_hex(n), 24, '0'), 'time', '2026-01-01T00:00:00.000Z', 'account', 'stored', 'accountId', null,
          'address', '192.0.2.1', 'operation', case n when 7 then '=cmd()' else 'tags.createTag' end,
          'document', jsonb_build_object('kind', 'tag', 'id', 't' || n, 'name', 'a, "quoted" name'),
          'outcome', 'ok', 'status', 200, 'requestId', 'r' || lpad(n::text, 6, '0'))
        from generate_series(1, ${STORED}::int) n`,
  );
});

describe('the CSV file of a list', () => {
  test('has every row of the filtered list once, in its order, under a name that browsers save', async () => {
    const columns = 'requestId:Request,document.name,operation,document.id';
    const file = await send('admin', 'GET', address(AUDIT, STORED_ONLY, columns));
    expect(file.status, file.text.slice(0, 300)).toBe(200);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.headers['content-disposition']).toBe('attachment; filename="entries.csv"');
    const [head, ...lines] = file.text.split('\r\n');
    expect(head).toBe('Request,document.name,operation,document.id');
    expect(lines.pop()).toBe('');
    expect(lines.length).toBe(STORED);
    expect(lines.map((line) => line.slice(0, 7))).toEqual(
      Array.from({ length: STORED }, (_, at) => `r${String(at + 1).padStart(6, '0')}`),
    );
    expect(lines[0]).toBe('r000001,"a, ""quoted"" name",tags.createTag,t1');
    // A spreadsheet would run it as a formula.
    expect(lines[6]).toBe(`r000007,"a, ""quoted"" name",'=cmd(),t7`);
  });

  test('shows the moment of its first row, although rows are deleted while it is read', async () => {
    const parts = await startReading(address(AUDIT, STORED_ONLY));
    await db.execute(
      sql`delete from audit where account = 'stored' and doc ->> 'requestId' > ${`r${String(LEFT).padStart(6, '0')}`}`,
    );
    expect(await snapshots()).toBeGreaterThan(0);
    let text = '';
    for await (const part of parts) text += part;
    expect(text.split('\r\n').length - 2).toBe(STORED);
    await db.execute(
      sql`insert into audit (id, doc)
          select lpad(to_hex(n), 24, '0'), jsonb_build_object('_id', lpad(to_hex(n), 24, '0'), 'time', '2026-01-01T00:00:00.000Z',
            'account', 'stored', 'accountId', null, 'address', '192.0.2.1', 'operation', 'tags.createTag', 'document', null,
            'outcome', 'ok', 'status', 200, 'requestId', 'r' || lpad(n::text, 6, '0'))
          from generate_series(${LEFT + 1}::int, ${STORED}::int) n`,
    );
  });

  test('stops reading when the client disconnects, and leaves no transaction open', async () => {
    const parts = await startReading(address(AUDIT, STORED_ONLY));
    expect(await snapshots()).toBeGreaterThan(0);
    parts.destroy();
    for (let tries = 0; (await snapshots()) > 0; tries += 1) {
      expect(tries, 'a transaction is still open').toBeLessThan(100);
      await sleep(50);
    }
    // More files than may be written at once, sequentially: no slot is lost.
    for (let file = 0; file < 6; file += 1) (await startReading(address(AUDIT, STORED_ONLY))).destroy();
    await sleep(200);
    expect((await send('admin', 'GET', address('tags.listTags'))).status).toBe(200);
  });

  test('is rejected with Retry-After while four others are written', async () => {
    const open = await Promise.all(
      (['support', 'support', 'other', 'other'] as const).map((also) =>
        startReading(address(AUDIT, STORED_ONLY), ['admin', also]),
      ),
    );
    expect(open.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const rejected = await send(['admin', 'apiread'], 'GET', address(AUDIT));
    expect(rejected.status).toBe(429);
    expect(rejected.headers['retry-after']).toBe('5');
    for (const parts of open) parts.destroy();
  });

  test.skipIf(!isLong)(
    'lets two begin of those that an account requests at the same moment, and leaves places to others',
    async () => {
      // The files of the tests before have ended.
      await expect.poll(snapshots).toBe(0);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => startReading(address(AUDIT, STORED_ONLY))),
      );
      const statuses = answers.map(({ statusCode }) => statusCode).sort();
      expect(statuses).toEqual([...Array(2).fill(200), ...Array(10).fill(429)]);
      expect((await send(['admin', 'apiread'], 'GET', address('tags.listTags'))).status).toBe(200);
      for (const parts of answers) parts.destroy();
      // What follows finds every place free.
      await expect.poll(snapshots).toBe(0);
    },
  );

  test('answers HEAD as GET would, and produces nothing', async () => {
    const answer = await send('admin', 'HEAD', address(AUDIT, STORED_ONLY));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers['content-disposition']).toContain('entries.csv');
    expect((await send('apiread', 'HEAD', address('authorization.listTokens'))).status).toBe(403);
  });

  test('may be requested with HEAD any number of times: that does not count towards the limit of files', async () => {
    const statuses: number[] = [];
    for (let asked = 0; asked < 12; asked++) {
      statuses.push((await send('admin', 'HEAD', address(AUDIT, STORED_ONLY))).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('is denied to callers who may not read the list; the error names its roles', async () => {
    for (const list of [
      'authorization.listTokens',
      'operationsManager.listJobs',
      'configurationManager.searchDevices',
    ]) {
      const mine = await send([], 'GET', address(list));
      expect(mine.status, list).toBe(403);
      expect(mine.text).toContain('role');
    }
    expect((await send(null, 'GET', address(AUDIT))).status).toBe(401);
  });

  test('is rejected for a list, a column, a filter or an input that does not exist, and names it', async () => {
    const cases: [string, number, string][] = [
      [address('tags.createTag'), 404, 'tags.createTag'],
      [address('__proto__'), 404, '__proto__'],
      [address('operationsManager.cancelJobs'), 404, 'operationsManager.cancelJobs'],
      [address(AUDIT, {}, 'requestId,passwrd'), 400, 'passwrd'],
      [address(AUDIT, {}, ','), 400, 'columns'],
      [address(AUDIT, { queryOptions: { equals: { nothing: 'x' } } }), 400, 'nothing'],
      [address(AUDIT, { unknown: 1 }), 400, 'unknown'],
      [`/lists/${AUDIT}/csv?input=%7B`, 400, 'input'],
      [`/lists/${AUDIT}/csv?input=%5B%5D`, 400, 'input'],
      [address(AUDIT, { queryOptions: { equals: { account: 'a\0b' } } }), 400, 'account'],
    ];
    for (const [path, status, named] of cases) {
      const answer = await send('admin', 'GET', path);
      expect([path, answer.status], answer.text).toEqual([path, status]);
      expect(answer.text).toContain(named);
    }
  });

  test.skipIf(!isLong)('has at most 50,000 rows for a typed caller; the error says to filter', async () => {
    const { lists } = await service.as('admin');
    await expect(lists.exportAsCsv({ list: AUDIT, input: JSON.stringify(STORED_ONLY) })).rejects.toThrow(
      'The file would have 50001 rows; at most 50000 are allowed',
    );
    expect(await lists.exportAsCsv({ list: 'authorization.listRoles', columns: 'name' })).toContain(
      'apiread\r\n',
    );
  });

  test.skipIf(!isLong)(
    'exists for every list of the service, with columns that its schema declares',
    async () => {
      const names = listNames();
      expect(names.length).toBeGreaterThan(70);
      const failed: string[] = [];
      for (const name of names) {
        const { status, text } = await send('admin', 'GET', address(name));
        const isWritten = status === 200 && /^\w[^\r\n]*\r\n/.test(text);
        // Lists of one object need its id: they say so.
        if (!isWritten && !(status === 400 && text.includes('"issues":[{')))
          failed.push(`${name}: ${status} ${text}`);
      }
      expect(failed).toEqual([]);
    },
  );
});

test('a cell holds a field of an object, a count, an element by number or by a field, or values as one text', () => {
  const reader = listReaderOf('operationsManager.listJobs');
  if (!reader) throw new Error('no list of jobs');
  const row = {
    name: 'a',
    error: [{ message: 'x' }],
    tags: ['p', 'q'],
    metrics: { owner: [{ id: 'a1', n: 0 }] },
  };
  const cell = (field: string) => cellOf(row, { head: '', path: field.split('.') });
  expect(cell('name')).toBe('a');
  expect(cell('error.0.message')).toBe('x');
  expect(cell('error.message')).toBe('x');
  expect(cell('tags')).toBe('p; q');
  expect(cell('tags.length')).toBe(2);
  expect(cell('metrics.owner.id=a1.n')).toBe(0);
  expect(cell('metrics.owner.id=b2.n')).toBe(null);
  expect(cell('metrics')).toBe('{"owner":[{"id":"a1","n":0}]}');
  expect(cell('constructor')).toBe(null);
  expect(columnsOf(reader, 'name: Its name ,status')).toEqual([
    { head: 'Its name', path: ['name'] },
    { head: 'status', path: ['status'] },
  ]);
});

/** Requests a file and resolves once its first part has arrived; the rest waits until it is read. */
async function startReading(path: string, as: readonly Role[] = ['admin']): Promise<IncomingMessage> {
  const { token } = await service.callerWith(as);
  const sent = request(`${service.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.setEncoding('utf8');
  await once(answer, 'readable');
  return answer;
}
