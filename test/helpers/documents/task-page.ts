import { CATALOGUE } from '#server/domains/workflow/tasks/catalogue.ts';
import type { PureRun } from '#server/domains/workflow/tasks/outcome.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import type { Effect, TaskType } from '#server/domains/workflow/tasks/task-type.ts';

type Schema = TaskType['outgoing'][string];
type Job = Parameters<PureRun>[1];

const AGAIN = 'after the loss of its process it is done again';
/** What a reader learns of the effect of a task. */
const EFFECTS: Record<Effect, string> = {
  pure: 'Works on values alone.',
  read: `Reads only: ${AGAIN}.`,
  keyed: `A${AGAIN.slice(1)}, with the same key.`,
  unsafe:
    'After the loss of its process it is not done again: it ends in error, “interrupted, outcome unknown”.',
  wait: 'Waits, and holds nothing meanwhile.',
};

/**
 * Returns the sections of a page about tasks, by application and name: `WorkFlowEngine.arrayPush`.
 *
 * @param page Markdown; an application is a heading of the second level, a task one of the third
 */
export const sectionsOf = (page: string): Map<string, string> =>
  new Map(
    page.split(/^## /m).flatMap((part) => {
      const [app = '', ...tasks] = part.split(/^### /m);
      return tasks.map((text): [string, string] => [`${app.trim()}.${text.split('\n', 1)[0]}`, text]);
    }),
  );

/** Returns the example of a section as JSON text; undefined where it has none. */
export const exampleIn = (section: string): string | undefined =>
  /```json\n([\s\S]*?)\n```/.exec(section)?.[1];

/**
 * Writes a page about the tasks of the catalogue: its introduction as it is, then every task by application and name. An
 * example stays as somebody wrote it; a task without one gets it from the examples of its values.
 *
 * @param page the page until now
 * @param job in which the examples run
 */
export function taskPage(page: string, job: Job): string {
  const sections = sectionsOf(page);
  const apps = [...new Set(CATALOGUE.map(({ app }) => app))].sort();
  const introduction = page.slice(0, page.indexOf(`## ${apps[0]}\n`));
  const parts = apps.flatMap((app) => [
    `## ${app}`,
    ...CATALOGUE.filter((task) => task.app === app)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((task) =>
        sectionOf(task, exampleIn(sections.get(`${app}.${task.name}`) ?? '') ?? exampleOf(task, job)),
      ),
  ]);
  return `${introduction}${parts.join('\n\n')}\n`;
}

function sectionOf(task: TaskType, example: string): string {
  const needs = task.requires.map(({ permission, audience }) => `\`${permission}\` (${audience.join(', ')})`);
  const taken = Object.entries(task.incoming).map(([name, { schema, required }]) => [
    `\`${name}\``,
    typeOf(schema),
    required ? 'required' : '',
    String(schema.description ?? ''),
  ]);
  const given = Object.entries(task.outgoing).map(([name, schema]) => [
    `\`${name}\``,
    typeOf(schema),
    String(schema.description ?? ''),
  ]);
  return [
    `### ${task.name}`,
    `${task.description.replace(/\.$/, '')}. ${EFFECTS[task.effect]}`,
    `Needs ${needs.join(', ') || 'no role'}.`,
    ...(taken.length > 0 ? [table(['incoming', '', '', ''], taken)] : []),
    ...(given.length > 0 ? [table(['outgoing', '', ''], given)] : []),
    `\`\`\`json\n${example}\n\`\`\``,
  ].join('\n\n');
}

/** The example that the values of a task give: of a task that works on values alone, with what it answers. */
function exampleOf(task: TaskType, job: Job): string {
  const examples = (schemas: [string, Schema][]) =>
    Object.fromEntries(
      schemas.flatMap(([name, { examples: of }]) => (Array.isArray(of) ? [[name, of[0]]] : [])),
    );
  const incoming = examples(Object.entries(task.incoming).map(([name, { schema }]) => [name, schema]));
  const run = runOf(task.app, task.name);
  if (run?.kind === 'pure') return JSON.stringify({ incoming, ...run.run(incoming, job) }, null, 2);
  const outgoing = examples(Object.entries(task.outgoing));
  const outcome = Object.keys(outgoing).length > 0 ? { finish: 'success', outgoing } : {};
  return JSON.stringify({ incoming, ...outcome }, null, 2);
}

/** More types than these are any type. */
const MOST_TYPES = 4;

function typeOf({ type }: Schema): string {
  const types = Array.isArray(type) ? type : [type ?? 'any'];
  return types.length > MOST_TYPES ? 'any' : types.join(', ');
}

/** A table of Markdown whose columns are as wide as their widest cell. */
function table(head: string[], body: string[][]): string {
  const lengthOf = (cell = '') => [...cell].length;
  const widths = head.map((_, at) => Math.max(3, ...[head, ...body].map((row) => lengthOf(row[at]))));
  const padded = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - lengthOf(cell));
  const rows = [head, widths.map((width) => '-'.repeat(width)), ...body];
  return rows.map((row) => `| ${row.map(padded).join(' | ')} |`).join('\n');
}
