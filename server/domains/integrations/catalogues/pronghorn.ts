import { Pronghorn, type PronghornMethod } from '#db/schemas/integrations/adapter-catalogue.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { plainIssuesOf } from '#server/kernel/validation/zod-issues.ts';
import type { AdapterCall, AdapterTask } from '../adapter-task.ts';
import type { CallEffect, DocumentSchema } from '../api-operation.ts';

/** A method of an adapter that workflows can call. */
export type CatalogueTask = {
  name: string;
  summary: string;
  description: string;
  deprecated: boolean;
  /** Arguments of the method in their order, the callback excluded. */
  inputs: readonly { name: string; type: string; required: boolean; schema: DocumentSchema }[];
  /** Name and schema of its result; without a name the task has no result. */
  output: { name: string; schema: DocumentSchema };
};

/** Names of an adapter type, and its tasks. */
export type AdapterCatalogue = {
  /** The type: `export` of the package. */
  type: string;
  /** Name of the package. */
  id: string;
  title: string;
  /** File of the package that exports the class; null: not given. */
  src: string | null;
  tasks: readonly CatalogueTask[];
};

/**
 * Methods that change the files of a package or its tasks, or start programs: a package may do neither here
 * (docs/adapter-tasks.md).
 */
const NOT_OFFERED: ReadonlySet<string> = new Set([
  'iapActivateTasks',
  'iapDeactivateTasks',
  'iapMoveAdapterEntitiesToDB',
  'iapRunAdapterLint',
  'iapRunAdapterTests',
  'iapTroubleshootAdapter',
  'iapUpdateAdapterConfiguration',
]);

/**
 * Returns whether workflows can call a method. The variants `…Emit` answer by an event, of which a task knows nothing.
 */
const isOffered = ({ name, task }: Pick<PronghornMethod, 'name' | 'task'>): boolean =>
  task !== false && isUsable(name) && !NOT_OFFERED.has(name) && !/.Emit$/.test(name);

/** Returns whether a value of a task can have a name: JSON cannot hold the other one. */
const isUsable = (name: string): boolean => name !== '__proto__';

/** The name of a type as JSON schema has it; packages also write `enum`, `any` and types in capitals. */
const TYPES: ReadonlyMap<string, string> = new Map(
  ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((type) => [type, type]),
);

/** Returns the schema of a value, from its own schema or from its type. */
function schemaOf(
  given: {
    schema?: DocumentSchema | undefined;
    type?: string | undefined;
    enumerals?: unknown[] | undefined;
  },
  name: string,
  description: string,
): DocumentSchema {
  const type = TYPES.get((given.type ?? '').toLowerCase());
  const { enumerals } = given;
  return {
    title: name,
    ...(type !== undefined && { type }),
    ...(enumerals && enumerals.length > 0 && { enum: enumerals }),
    ...(description !== '' && { description }),
    ...given.schema,
  };
}

function taskOf({ name, input = [], output, ...given }: PronghornMethod): CatalogueTask {
  const summary = given.summary ?? name;
  const outgoing = output?.name && isUsable(output.name) ? output.name : 'result';
  return {
    name,
    summary,
    description: given.description ?? summary,
    deprecated: given.deprecated ?? false,
    inputs: input
      .filter((one) => isUsable(one.name))
      .map((one) => ({
        name: one.name,
        type: one.type?.toLowerCase() ?? 'any',
        required: one.required ?? false,
        schema: schemaOf(one, one.name, one.info || one.description || ''),
      })),
    output: { name: outgoing, schema: schemaOf(output ?? {}, outgoing, output?.description ?? '') },
  };
}

/** Returns the catalogue of a valid file; of several methods of one name the last one counts, as in a class. */
export function catalogueOf(file: Pronghorn): AdapterCatalogue {
  const { id, export: type, title = type, src = null, methods } = file;
  const tasks = new Map(methods.filter(isOffered).map((method) => [method.name, taskOf(method)]));
  return { type, id, title, src, tasks: [...tasks.values()] };
}

/** Reads a parsed `pronghorn.json`. @returns its catalogue, or everything that is wrong with it */
export function readPronghorn(value: unknown): { catalogue: AdapterCatalogue } | { issues: Issue[] } {
  const parsed = Pronghorn.safeParse(value);
  if (parsed.success) return { catalogue: catalogueOf(parsed.data) };
  return { issues: plainIssuesOf(parsed.error) };
}

/** Returns a task of a catalogue as a task of its type, carried out by `call`. */
export const adapterTaskOf = (
  { type, title }: Pick<AdapterCatalogue, 'type' | 'title'>,
  { name, summary, description, deprecated, inputs, output }: CatalogueTask,
  { call, effect }: { call: AdapterCall; effect: CallEffect },
): AdapterTask => ({
  type,
  name,
  displayName: title,
  summary,
  description,
  deprecated,
  incoming: Object.fromEntries(
    inputs.map(({ name: input, schema, required }) => [input, { schema, required }]),
  ),
  outgoing: { [output.name]: output.schema },
  effect,
  call,
});
