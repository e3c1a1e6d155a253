import { describe, expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { realExports } from '../../../helpers/documents/exported-projects.ts';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';

const exported = realExports();
// Without them all is skipped: nobody would use the service, and nobody would stop it.
const service = exported.length > 0 ? await openJobs() : ({} as Awaited<ReturnType<typeof openJobs>>);

/** A value that a schema takes; where it says nothing, a text. */
function sample(
  schema: { type?: string | string[]; format?: string; examples?: unknown[] } | undefined,
): unknown {
  if (schema?.format === 'ipv4') return '192.0.2.1';
  const [first] = schema?.examples ?? [];
  // Some exports have numbers as text there.
  if (first !== undefined) return schema?.type === 'number' ? Number(first) : first;
  const types = [schema?.type ?? 'string'].flat();
  const type = types.length > 5 ? 'string' : types[0];
  const values: Record<string, unknown> = {
    number: 0,
    integer: 0,
    boolean: false,
    array: [],
    object: {},
    null: null,
  };
  return type === undefined || !(type in values) ? 'edge-1' : values[type];
}

const inputsOf = ({ inputSchema }: Workflow): Record<string, unknown> => {
  const properties = (inputSchema?.properties ?? {}) as Record<string, { type?: string | string[] }>;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sample(schema)]));
};

/** What is said of an adapter, an application, a document or a value that an export names and does not bring. */
const MISSING =
  /cannot run|does not exist|must be set|has errors and cannot start|No adapter of the model|Not all devices available|names no host|^\w+: transformation ".+": .*must be/;

type Answer = 'success' | 'failure';

/** Answers after which the other button is pressed, and again the first: either may lead back for ever. */
const MOST_ANSWERS = 12;

/** The first job below this one that ended in error. */
async function childInError(id: string): Promise<Job | undefined> {
  const { body } = await service.call('GET', '/jobs?equals[status]=error&limit=100');
  return (body.data as Job[]).find(({ ancestors }) => ancestors?.includes(id));
}

/** Answer every manual task until the job, and those below it, wait for nobody. A page with one button is left by that. */
async function answerAll(id: string, preferred: Answer): Promise<Job> {
  let answers = 0;
  for (let turn = 0; turn < 1000; turn++) {
    const job = await service.job(id);
    if (job.status !== 'running') return job;
    const waiting = await service.items('equals[type]=manual&equals[status]=running&limit=100');
    for (const { job: of } of waiting) {
      const path = `/jobs/${of._id}/tasks/${of.task}/finish`;
      answers += 1;
      const other: Answer = preferred === 'success' ? 'failure' : 'success';
      const isOther = Math.floor(answers / MOST_ANSWERS) % 2 === 1;
      const [first, second] = isOther ? [other, preferred] : [preferred, other];
      const given = await service.call('POST', path, { taskData: { finish_state: first } });
      if (given.status === 400) await service.call('POST', path, { taskData: { finish_state: second } });
    }
    if (waiting.length === 0) {
      // A parent waits for a child in error, which somebody may repeat: what the child says is what stopped it.
      const failed = await childInError(id);
      if (failed) return failed;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return service.job(id);
}

describe.skipIf(exported.length === 0)('workflows of the real exports', () => {
  test('every one that has all it needs here runs until it has finished, or says which task stopped it and why', async () => {
    const startable: string[] = [];
    for (const { project } of realExports()) {
      const answer = await service.send('admin', 'POST', '/automation-studio/projects/import', { project });
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      const stored = await service.send(
        'admin',
        'GET',
        `/automation-studio/workflows?limit=200&include=name&starts-with[name]=${encodeURIComponent('@')}`,
      );
      for (const { name } of (stored.json as { items: { name: string }[] }).items) {
        if (!startable.includes(name)) startable.push(name);
      }
    }
    const reported: string[] = [];
    const drafts: { name: string; messages: string[] }[] = [];
    const counts: Record<Answer, Record<string, number>> = { success: {}, failure: {} };
    for (const name of startable) {
      const stored = (
        await service.send(
          'admin',
          'GET',
          `/automation-studio/workflows/detailed/${encodeURIComponent(name)}`,
        )
      ).json as Workflow;
      if ((stored.errors ?? []).length > 0) {
        drafts.push({ name, messages: (stored.errors ?? []).map(({ message }) => message ?? '') });
        continue;
      }
      for (const preferred of ['success', 'failure'] as const) {
        const started = await service.call('POST', '/jobs/start', {
          workflow: name,
          options: { variables: inputsOf(stored) },
        });
        expect(started.status, `${name}: ${started.text}`).toBe(200);
        const over = await answerAll((started.body.data as Job)._id, preferred);
        const why = over.error?.map(({ task, message }) => `${task}: ${String(message)}`) ?? [];
        reported.push(
          `${name} (${preferred}): ${over.status} ${over.status === 'complete' ? '' : why.join('; ')}`,
        );
        counts[preferred][over.status] = (counts[preferred][over.status] ?? 0) + 1;
        expect(['complete', 'error'], reported.at(-1)).toContain(over.status);
        // Nothing but what is missing here stops one.
        if (over.status === 'error')
          expect(
            why.filter((one) => MISSING.test(one)),
            reported.at(-1),
          ).not.toEqual([]);
      }
    }
    const unnamed = drafts.flatMap(({ messages }) => messages).filter((message) => !MISSING.test(message));
    expect(unnamed).toEqual([]);
    console.log(
      `real workflows: ${startable.length}; drafts that name what is missing: ${drafts.length}; ` +
        `run to their end, people pressing success: ${JSON.stringify(counts.success)}, failure: ${JSON.stringify(counts.failure)}`,
    );
    if (process.env.SHOW) console.log(reported.join('\n'), '\nDRAFTS\n', JSON.stringify(drafts, null, 1));
    expect(reported.length).toBeGreaterThan(3);
  }, 300_000);
});
