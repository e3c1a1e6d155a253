import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { unique } from '../../helpers/procedures.ts';
import { openService } from '../../helpers/service.ts';
import { workflowOf } from '../../helpers/workflows.ts';

const service = await openService();

/** Stores workflows of 15 MiB each, as an import may bring them. */
async function storeLarge(name: string, count: number): Promise<void> {
  const { automationStudio } = await service.as('admin');
  await automationStudio.createWorkflow({ automation: workflowOf(name, {}) });
  await service.db.execute(sql`
    insert into workflows (id, doc)
    select lpad(to_hex(n), 24, 'a'), doc || jsonb_build_object('_id', lpad(to_hex(n), 24, 'a'), 'name', ${name}::text || ' ' || n,
        'note', repeat('x', 15 * 1024 * 1024))
      from workflows, generate_series(1, ${count}::int) n where name = ${name}`);
}

test('a page whose documents are too long together is rejected before it is in memory; fewer of them, or some of their fields, are not', async () => {
  const name = unique('Large');
  await storeLarge(name, 20);
  const read = (query: string) =>
    service.send(
      'admin',
      'GET',
      `/automation-studio/workflows?starts-with[name]=${encodeURIComponent(name)}${query}`,
    );
  await read('&limit=1');
  const before = process.memoryUsage().rss;
  const { status, text } = await read('&limit=1000');
  expect(text).toContain('limit: the documents of this page have more than 256 MiB');
  expect(status).toBe(400);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  expect((await read('&limit=3')).status).toBe(200);
  expect((await read('&limit=1000&include=name')).status).toBe(200);
});
