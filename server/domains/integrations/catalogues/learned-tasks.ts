import type { Task } from '#db/schemas/workflow/task.ts';
import type { DocumentSchema } from '../api-operation.ts';
import type { CatalogueTask } from './pronghorn.ts';

/** A task as a workflow contains it. */
export type UsedTask = Pick<Task, 'name' | 'summary' | 'description' | 'variables' | 'deprecated'>;

/** Returns the JSON type of a literal value; undefined for a reference, and for what says nothing. */
function typeOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value.startsWith('$var.') ? undefined : 'string';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** One value of a task, as its uses show it. */
type SeenValue = { name: string; types: Set<string> };

function addType(seen: Map<string, SeenValue>, name: string, value?: unknown): void {
  const known = seen.get(name) ?? { name, types: new Set<string>() };
  const type = typeOf(value);
  if (type !== undefined) known.types.add(type);
  seen.set(name, known);
}

const isUsable = (name: string) => name !== '' && name !== '__proto__' && name.length <= 200;

function schemaOf({ name, types }: SeenValue): DocumentSchema {
  const [type, ...others] = types;
  return {
    title: name,
    ...(type !== undefined && { type: others.length > 0 ? [type, ...others].sort() : type }),
  };
}

/**
 * Learns the tasks of an adapter type from workflows that use them: their names, the names of their values, and the types
 * of values that are written there. Nothing is required, since another use may leave a value out.
 *
 * @param known tasks that were learned before, which are kept and completed
 */
export function learnTasks(used: readonly UsedTask[], known: readonly CatalogueTask[] = []): CatalogueTask[] {
  const tasks = new Map(known.map((task) => [task.name, task]));
  const uses = new Map<string, UsedTask[]>();
  for (const task of used) {
    if (isUsable(task.name)) uses.set(task.name, [...(uses.get(task.name) ?? []), task]);
  }
  for (const [name, all] of uses) tasks.set(name, learnTask(name, all, tasks.get(name)));
  return [...tasks.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function learnTask(name: string, uses: readonly UsedTask[], known?: CatalogueTask): CatalogueTask {
  const inputs = new Map<string, SeenValue>();
  const outputs = new Map<string, SeenValue>();
  for (const { name: input, schema } of known?.inputs ?? []) {
    const types = [schema.type].flat().filter((type) => typeof type === 'string');
    inputs.set(input, { name: input, types: new Set(types) });
  }
  if (known) addType(outputs, known.output.name);
  for (const { variables } of uses) {
    for (const [input, value] of Object.entries(variables?.incoming ?? {})) {
      if (input !== 'adapter_id' && isUsable(input)) addType(inputs, input, value);
    }
    for (const output of Object.keys(variables?.outgoing ?? {}))
      if (isUsable(output)) addType(outputs, output);
  }
  const [first] = uses;
  const summary = known?.summary ?? first?.summary ?? name;
  const [output = { name: 'result', types: new Set<string>() }] = outputs.values();
  return {
    name,
    summary,
    description: known?.description ?? first?.description ?? summary,
    deprecated: known?.deprecated ?? uses.every(({ deprecated }) => deprecated === true),
    // A stored workflow has its values in no order.
    inputs: [...inputs.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((seen) => {
        const schema = schemaOf(seen);
        return {
          name: seen.name,
          type: typeof schema.type === 'string' ? schema.type : 'any',
          required: false,
          schema,
        };
      }),
    output: { name: output.name, schema: { title: output.name } },
  };
}
