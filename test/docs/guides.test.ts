import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createAdmin } from '#server/engines/access/seed.service.ts';
import { openService } from '../helpers/service.ts';
import { missingPrograms, runSteps, stepsIn } from './guide-runner.ts';

const service = await openService({}, { works: true });
await createAdmin(service.db, 'correct horse battery staple');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-guides-'));
afterAll(() => rmSync(folder, { recursive: true }));

const missing = missingPrograms();
const GUIDES = ['docs/configuration.md', 'docs/workflows.md'];

test.skipIf(missing.length > 0).each(GUIDES)(
  'the requests of %s run one after the other and answer what the page shows',
  { timeout: 120_000 },
  async (path) => {
    const steps = stepsIn(readFileSync(path, 'utf8'));
    expect(steps.length).toBeGreaterThan(5);
    const replace = ['http://127.0.0.1:3000', service.url] as const;
    expect(await runSteps(steps, { replace, timeoutMs: 100_000, folder })).toEqual([]);
  },
);
