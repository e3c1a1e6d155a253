import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { until } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

const ROWS = 20_000;
const INDEXES = ['audit_document_id', 'audit_document_name', 'audit_documents'] as const;

/** How often each index was read. */
async function scans(): Promise<Record<string, number>> {
  const found = await rows<{ name: string; scans: number }>(
    service.db,
    sql`select indexrelname as name, idx_scan::int as scans from pg_stat_user_indexes where relname = 'audit'`,
  );
  return Object.fromEntries(found.map(({ name, scans }) => [name, scans]));
}

test('what was done with one document is found by indexes, also where a write touched many', async () => {
  await rows(
    service.db,
    sql`insert into audit (id, doc) select lpad(to_hex(n), 24, '0'), jsonb_build_object(
        '_id', lpad(to_hex(n), 24, '0'), 'time', '2026-01-01T00:00:00.000Z', 'account', 'somebody', 'accountId', null,
        'credential', null, 'address', null, 'operation', 'test.write', 'requestId', 'r-' || n, 'outcome', 'ok', 'status', 200,
        'document', jsonb_build_object('kind', 'devices', 'id', 'id-' || n, 'name', 'name-' || n))
        || case when n % 100 = 0 then jsonb_build_object('documents', jsonb_build_array(
          jsonb_build_object('kind', 'devices', 'id', 'id-' || n, 'name', 'name-' || n),
          jsonb_build_object('kind', 'devices', 'id', 'other-' || n, 'name', 'other name-' || n))) else '{}' end
      from generate_series(1, ${ROWS}::int) n`,
  );
  await rows(service.db, sql`analyze audit`);
  const before = await scans();
  const found = async (field: string, value: string) => {
    const query = new URLSearchParams({ [`equals[${field}]`]: value });
    const answer = await service.send('admin', 'GET', `/audit?${query}`);
    expect(answer.status, answer.text).toBe(200);
    const { results, total } = answer.json as { results: { requestId: string }[]; total: number };
    expect(total).toBe(results.length);
    return results.map(({ requestId }) => requestId);
  };
  expect(await found('document.id', 'id-777')).toEqual(['r-777']);
  expect(await found('document.id', 'other-700')).toEqual(['r-700']);
  expect(await found('document.name', 'name-1234')).toEqual(['r-1234']);
  expect(await found('document.name', 'other name-1200')).toEqual(['r-1200']);
  expect(await found('document.id', newId())).toEqual([]);
  // A backend reports what it read within a second or two.
  await until(async () => {
    const after = await scans();
    return INDEXES.every((name) => (after[name] ?? 0) > (before[name] ?? 0));
  });
});
