import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { bareName, referencesIn } from '#server/domains/assets/index.ts';
import { taskTypeOf } from '#server/domains/workflow/tasks/catalogue.ts';
import type { Runnable } from '#server/domains/workflow/transformations/compile.ts';
import { calculatedFindings } from '#server/domains/workflow/validation/calculate.ts';
import { tasksOf } from '#server/domains/workflow/validation/variables.ts';

type Component = { type: ComponentType; document: Record<string, unknown> & { _id?: string; name?: string } };

/** How much of exported workflows this platform serves. */
export type Coverage = {
  workflows: number;
  /** Workflows all of whose tasks are known. */
  known: number;
  /** Workflows that the validator finds no error in, so that a job of them starts. */
  start: number;
  /** Number of tasks that are not known, by application and name. */
  unknown: Map<string, number>;
};

/** Returns the components of every export in a folder, those of one file together; folders in it are read too. */
export async function componentsIn(folder: string): Promise<Component[][]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json'));
  const found = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const read = JSON.parse(await readFile(join(parentPath, name), 'utf8')) as Record<string, unknown>;
      const { components } = (read.project ?? read) as { components?: Component[] };
      return Array.isArray(components) ? components : [];
    }),
  );
  return found.filter((components) => components.length > 0);
}

/** Validates the workflows of projects, each beside the other components of its project alone. */
export function coverageOf(projects: readonly (readonly Component[])[]): Coverage {
  const all: Coverage = { workflows: 0, known: 0, start: 0, unknown: new Map() };
  for (const components of projects) {
    const here = neighboursOf(components);
    for (const { type, document } of components) {
      if (type !== 'workflow') continue;
      // The export says what its components are.
      const workflow = document as unknown as Workflow;
      const strange = tasksOf(workflow).filter(([, { app, name }]) => app && !taskTypeOf(app, name));
      for (const [, { app, name }] of strange) {
        const key = `${app}.${name}`;
        all.unknown.set(key, (all.unknown.get(key) ?? 0) + 1);
      }
      all.workflows += 1;
      if (strange.length === 0) all.known += 1;
      if (errorsOf(workflow, here) === 0) all.start += 1;
    }
  }
  return all;
}

type Neighbours = { known: Set<string>; transformations: Record<string, Runnable> };

function neighboursOf(components: readonly Component[]): Neighbours {
  const known = new Set(
    components.flatMap(({ type, document: { _id = '', name = '' } }) => [
      `${type} ${_id}`,
      `${type} ${name}`,
      `${type} ${bareName(name)}`,
    ]),
  );
  const transformations = components.filter(({ type }) => type === 'transformation');
  return {
    known,
    transformations: Object.fromEntries(
      // The export says what its components are.
      transformations.map(({ document }) => [String(document._id), document as unknown as Runnable]),
    ),
  };
}

function errorsOf(workflow: Workflow, { known, transformations }: Neighbours): number {
  const missing = referencesIn('workflow', workflow).filter(
    ({ kind, value }) =>
      kind !== null && !known.has(`${kind} ${value}`) && !known.has(`${kind} ${bareName(value)}`),
  );
  const { errors } = calculatedFindings({
    workflow,
    named: { inputs: {}, transformations },
    adapters: [],
    adapterTasks: [],
    adapterTypes: [],
    adapterFaults: {},
    missing: missing.map(({ kind, value, path }) => ({ value, path, word: kind })),
  });
  return errors.length;
}

/** Returns the coverage in lines for a reader: the counts, then unknown tasks by their number. */
export const coverageLines = ({ workflows, known, start, unknown }: Coverage): string[] => [
  `all tasks known: ${known}/${workflows}`,
  `starts: ${start}/${workflows}`,
  ...[...unknown]
    .sort(([a, of], [b, ob]) => ob - of || (a < b ? -1 : 1))
    .map(([task, count]) => `unknown: ${task} ${count}`),
];
