import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATALOGUE } from '#server/domains/workflow/tasks/catalogue.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import { exampleIn, sectionsOf, taskPage } from '../helpers/documents/task-page.ts';
import { jobWith } from '../helpers/jobs/task-runs.ts';

/** The job that the examples run in, as the page describes it. */
const JOB = jobWith({ site: 'oslo', results: ['edge-1', 'edge-2'] }, { a1: { result: { status: 200 } } });

type Example = { incoming: Record<string, unknown>; outgoing?: Record<string, unknown> };

const page = taskPage(readFileSync('docs/tasks.md', 'utf8'), JOB);
const sections = sectionsOf(page);

test('the page describes every task of the catalogue (`npx vitest run test/docs/tasks.test.ts -u` writes it)', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/tasks.md');
});

const tasks = CATALOGUE.map((task) => [`${task.app}.${task.name}`, task] as const);

test.each(tasks)('the example of %s does what it says', (key, task) => {
  const example = JSON.parse(exampleIn(sections.get(key) ?? '') ?? '') as Example;
  const needed = Object.entries(task.incoming).flatMap(([name, { required }]) => (required ? [name] : []));
  expect(Object.keys(task.incoming)).toEqual(expect.arrayContaining(Object.keys(example.incoming)));
  expect(Object.keys(example.incoming)).toEqual(expect.arrayContaining(needed));
  expect(Object.keys(task.outgoing)).toEqual(expect.arrayContaining(Object.keys(example.outgoing ?? {})));
  const run = runOf(task.app, task.name);
  if (run?.kind === 'pure') {
    const { incoming, ...outcome } = example;
    expect(run.run(incoming, JOB)).toEqual(outcome);
  }
});
