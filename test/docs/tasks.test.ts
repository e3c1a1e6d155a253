import { readdirSync, readFileSync } from 'node:fs';
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

/** A task as a guide writes it in a workflow. */
type WrittenTask = { app: string; name: string; variables: { incoming?: object; outgoing?: object } };

/** Returns the tasks in the workflows of a page: the smallest JSON objects around `"variables"` that name an application. */
function tasksIn(text: string): WrittenTask[] {
  return [...text.matchAll(/"variables":/g)].flatMap(({ index }) => {
    for (let start = text.lastIndexOf('{', index); start >= 0; start = text.lastIndexOf('{', start - 1)) {
      for (let end = text.indexOf('}', index); end >= 0; end = text.indexOf('}', end + 1)) {
        const found = parsed(text.slice(start, end + 1));
        if (found?.app && found.name && found.variables) return [found];
        if (found) break;
      }
      if (index - start > 400) break;
    }
    return [];
  });
}

/** Returns the object that a JSON text holds, also one in a here-document of a shell, where `$` may follow a backslash. */
function parsed(text: string): WrittenTask | undefined {
  try {
    return JSON.parse(text.replaceAll('\\$', '$'));
  } catch {
    return undefined;
  }
}

test('the workflows of the guides use only variables that their tasks have', () => {
  const declared = new Map(CATALOGUE.map((task) => [`${task.app}.${task.name}`, task]));
  const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const written = guides.flatMap((name) =>
    tasksIn(readFileSync(`docs/${name}`, 'utf8')).map((task) => ({ name, task })),
  );
  const unknown = written.flatMap(({ name, task: { app, name: called, variables } }) => {
    const known = declared.get(`${app}.${called}`);
    // the variables of a transformation are those of its document
    if (!known || called === 'transformation') return [];
    return (['incoming', 'outgoing'] as const).flatMap((side) =>
      Object.keys(variables[side] ?? {})
        .filter((variable) => !(variable in known[side]))
        .map((variable) => `${name}: ${app}.${called} has no ${side} variable ${variable}`),
    );
  });
  expect(unknown).toEqual([]);
  expect(written.length).toBeGreaterThan(10);
});
