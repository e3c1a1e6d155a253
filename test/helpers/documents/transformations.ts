import {
  type RunOptions,
  runTransformation,
  type TransformationResult,
} from '#server/domains/workflow/transformations/transformation.ts';

/** Where a value comes from: an input, or what a step gives; its pointer. */
export type Ref = { from: { location: string; name: string | number; ptr: string } };

type Step = Record<string, unknown> & { id: number; type: string };
type Doc = {
  incoming: Record<string, unknown>[];
  outgoing: Record<string, unknown>[];
  steps: Step[];
  functions: Record<string, unknown>[];
};

/** The value of an input. */
export const input = (name: string, ptr = ''): Ref => ({ from: { location: 'incoming', name, ptr } });

const isRef = (value: unknown): value is Ref =>
  typeof value === 'object' && value !== null && 'from' in value;

let assigns = 1_000_000;

/** A step with the sources wired into its slots; `at` is its position. */
export type NewWorkflow = { step: Step; wires: Step[] };

function workflowOf(
  id: number,
  type: string,
  members: object,
  args: unknown[],
  context?: string,
): NewWorkflow {
  const at = context === undefined ? {} : { context };
  const wires = args.flatMap((arg, slot) =>
    isRef(arg) ? [wire(arg, { location: type, name: id, ptr: `/args/${slot}/value` })] : [],
  );
  const literals = args.map((arg) => (isRef(arg) ? null : arg));
  return { step: { id, type, ...members, args: literals, ...at }, wires };
}

/** An edge. */
export const wire = ({ from }: Ref, to: object, context?: string): Step => ({
  id: assigns++,
  type: 'assign',
  from,
  to,
  ...(context !== undefined && { context }),
});

/** A method, `Library.method`; wired values are among its arguments. */
export function method(id: number, name: string, args: unknown[], context?: string): NewWorkflow {
  const [library, ...rest] = name.split('.');
  const isDeclared = rest.join('.').startsWith('new ');
  return workflowOf(
    id,
    isDeclared ? 'declaration' : 'method',
    { library, method: rest.join('.') },
    args,
    context,
  );
}

export const declare = (id: number, name: string, polymorphIndex: number, args: unknown[]): NewWorkflow => {
  const { step, wires } = method(id, name, args);
  return { step: { ...step, polymorphIndex }, wires };
};

export const template = (id: number, text: string, args: unknown[], context?: string): NewWorkflow =>
  workflowOf(id, 'template', { library: 'String', method: 'templateLiteral', template: text }, args, context);

export const call = (id: number, name: string, args: unknown[], context?: string): NewWorkflow =>
  workflowOf(id, 'function', { function: name }, args, context);

export const branch = (id: number, cases: unknown[] | null, value: unknown, context?: string): NewWorkflow =>
  workflowOf(
    id,
    'context',
    { library: 'Conditional', method: cases ? 'switch' : 'if...else', ...(cases && { return: cases }) },
    [value],
    context,
  );

/** What a step gives. */
export const result = ({ step }: NewWorkflow, ptr = ''): Ref => ({
  from: { location: step.type, name: step.id, ptr: `/return${ptr}` },
});

type Ports = Record<string, object> | string[];
const named = (ports: Ports) =>
  Array.isArray(ports)
    ? ports.map(($id) => ({ $id }))
    : Object.entries(ports).map(([$id, schema]) => ({ $id, ...schema }));

/** A body: inputs, steps, and what each output gets; an output is `name` or `name/a/b`. */
export function body(
  incoming: Ports,
  steps: NewWorkflow[],
  outputs: Record<string, Ref>,
  functions: Record<string, unknown>[] = [],
): Doc {
  const wires = Object.entries(outputs).map(([place, ref]) => {
    const [name = '', ...below] = place.split('/');
    return wire(ref, { location: 'outgoing', name, ptr: below.map((token) => `/${token}`).join('') });
  });
  const names = [...new Set(Object.keys(outputs).map((place) => place.split('/')[0] ?? ''))];
  return {
    incoming: named(incoming),
    outgoing: named(names),
    steps: [...steps.flatMap(({ step, wires: into }) => [step, ...into]), ...wires],
    functions,
  };
}

export const fn = (id: string, ...parts: Parameters<typeof body>) => ({
  id,
  name: `${id} it`,
  ...body(...parts),
});

/** The clock is stopped, and random numbers are always a quarter. */
export const AROUND = { now: () => Date.UTC(2024, 2, 1, 10, 20, 30, 456), random: () => 0.25 };

export const run = (
  doc: object,
  inputs: Record<string, unknown> = {},
  options: RunOptions = {},
): TransformationResult => runTransformation({ name: 'Drawn', ...doc }, inputs, options, AROUND);

/** Outputs of a run that must not fail. */
export function outputs(
  doc: object,
  inputs: Record<string, unknown> = {},
  options: RunOptions = {},
): unknown {
  const made = run(doc, inputs, options);
  if ('error' in made) throw new Error(made.error.message);
  return made.outputs;
}

const WIRED = Symbol('wired');
type Wired = { [WIRED]: unknown };

/** A value that is wired into a slot, whatever it is; others are literals. */
export const wired = (one: unknown): Wired => ({ [WIRED]: one });
const isWired = (one: unknown): one is Wired => typeof one === 'object' && one !== null && WIRED in one;

const FUNCTIONS = [
  fn('same', ['a', 'b', 'c', 'd'], [], { out: input('a') }),
  fn('second', ['a', 'b', 'c', 'd'], [], { out: input('b') }),
  fn('third', ['a', 'b', 'c', 'd'], [], { out: input('c') }),
  fn('fourth', ['a', 'b', 'c', 'd', 'e'], [], { out: input('d') }),
  fn('fifth', ['a', 'b', 'c', 'd', 'e'], [], { out: input('e') }),
  ...(['add', 'subtract'] as const).map((name) => {
    const step = method(1, `Math.${name}`, [input('a'), input('b')]);
    return fn(name, ['a', 'b', 'c', 'd'], [step], { out: result(step) });
  }),
];

/** What one method gives: `same`, `second` … `fifth`, `add` and `subtract` are functions that it may call. */
export function applied(name: string, args: unknown[], polymorphIndex = 0): TransformationResult {
  const inputs = Object.fromEntries(
    args.flatMap((arg, at) => (isWired(arg) ? [[`in${at}`, arg[WIRED]]] : [])),
  );
  const step = declare(
    1,
    name,
    polymorphIndex,
    args.map((arg, at) => (isWired(arg) ? input(`in${at}`) : arg)),
  );
  return run(body(Object.keys(inputs), [step], { out: result(step) }, FUNCTIONS), inputs);
}

/** The value that one method gives, as JSON has it; an error's message as `{error}`. */
export function value(name: string, args: unknown[], polymorphIndex = 0): unknown {
  const made = applied(name, args, polymorphIndex);
  if ('error' in made) return { error: made.error.message.replace(/^.*?\): /, '') };
  return (made.outputs as { out?: unknown }).out;
}
