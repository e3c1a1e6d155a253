import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATALOGUE } from '#server/domains/workflow/tasks/catalogue.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import { jobWith } from '../helpers/jobs/task-runs.ts';

/** The job that the examples run in, as the page describes it. */
const JOB = jobWith({ site: 'oslo', results: ['edge-1', 'edge-2'] }, { a1: { result: { status: 200 } } });

type Example = { incoming: Record<string, unknown>; outgoing?: Record<string, unknown> };

const page = readFileSync('docs/tasks.md', 'utf8');
const sections = new Map(
  page.split(/^## /m).flatMap((part) => {
    const [app = '', ...tasks] = part.split(/^### /m);
    return tasks.map((text): [string, string] => [`${app.trim()}.${text.split('\n', 1)[0]}`, text]);
  }),
);

/** The variables that a table of the section names. */
const namesIn = (section: string, title: string) =>
  (section.split(new RegExp(`^\\| ${title} `, 'm'))[1]?.split('\n\n')[0] ?? '')
    .split('\n')
    .flatMap((line) => /^\| `(\w+)`/.exec(line)?.[1] ?? []);

test('the page has every task of the catalogue, and no other', () => {
  expect([...sections.keys()].sort()).toEqual(CATALOGUE.map(({ app, name }) => `${app}.${name}`).sort());
});

test.each(CATALOGUE)('$app.$name is described as it is, and its example does what it says', (task) => {
  const section = sections.get(`${task.app}.${task.name}`) ?? '';
  expect(section).toContain(task.description);
  const needs = task.requires.map(({ permission, audience }) => `\`${permission}\` (${audience.join(', ')})`);
  expect(section).toContain(`\n\nNeeds ${needs.join(', ') || 'no role'}.\n`);
  expect(namesIn(section, 'takes')).toEqual(Object.keys(task.incoming));
  expect(namesIn(section, 'gives')).toEqual(Object.keys(task.outgoing));
  const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '') as Example;
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
