import { isAbsent } from '#server/kernel/json/objects.ts';
import { pointerNames } from '#server/kernel/json/pointer.ts';
import { isUnsafeKey } from './expressions/values.ts';
import { addFinding, type CompileFindings, fieldsOf, type JsonObject, type Path, shown } from './finding.ts';
import { declarationOf, METHODS } from './methods/catalogue.ts';
import type { Method } from './methods/method.ts';
import type { Action, Branch, Edge, Operation, ProgramBody, Scope, Slot } from './program.ts';

const SOURCES = ['incoming', 'method', 'declaration', 'template', 'function', 'context'];
const TARGETS = ['outgoing', 'method', 'declaration', 'template', 'function', 'context'];
const KINDS = ['assign', 'method', 'declaration', 'template', 'function', 'context'];

/** Maximum number of slots of a step. */
const MOST_SLOTS = 1000;

type CompileState = {
  body: ProgramBody;
  scope: Scope;
  found: CompileFindings;
  types: ReadonlyMap<string, string>;
};
type LocatedStep = { step: JsonObject; path: Path };

/** Fills a body with the steps of a document or a function: operations first, then the edges between them. */
export function compileSteps(
  body: ProgramBody,
  fields: JsonObject,
  scope: Scope,
  found: CompileFindings,
): void {
  const listed: unknown[] = Array.isArray(fields.steps) ? fields.steps : [];
  const steps = listed.map(
    (one, at): LocatedStep => ({ step: fieldsOf(one), path: [...body.path, 'steps', at] }),
  );
  const types = new Map(
    steps
      .filter(({ step }) => step.type !== 'assign')
      .map(({ step }) => [String(step.id), String(step.type)]),
  );
  const compiling: CompileState = { body, scope, found, types };
  const edges: (() => void)[] = [];
  for (const placed of steps) {
    const { step, path } = placed;
    if (!KINDS.includes(String(step.type))) {
      addFinding(found.stops, 'unknown_type', `${shown(step.type)} is not a type of step`, [...path, 'type']);
    } else if (step.type === 'assign') {
      const edge = edgeOf(compiling, placed);
      if (edge) edges.push(edge);
    } else addOperation(compiling, placed);
  }
  for (const add of edges) add();
  for (const { edges: into } of body.outgoing) into.sort(shallowFirst);
  for (const { slots } of body.operations.values()) for (const slot of slots) slot.edges.sort(shallowFirst);
}

const byId = (one: string, other: string) =>
  Number(one) - Number(other) || (one < other ? -1 : Number(one > other));

const shallowFirst = (one: Edge, other: Edge) =>
  one.write.length - other.write.length || byId(one.id, other.id);

function addOperation(compiling: CompileState, placed: LocatedStep): void {
  const { body, found } = compiling;
  const { step, path } = placed;
  const id = String(step.id);
  if (body.operations.has(id)) {
    addFinding(found.stops, 'duplicate', `${shown(step.id)} occurs twice`, [...path, 'id']);
    return;
  }
  const action = actionOf(compiling, placed);
  if (!action) return;
  const args: unknown[] = Array.isArray(step.args) ? step.args : [];
  // Steps that call functions have "" where others have null (contract/engines#transformation-arguments).
  const isOpen = (arg: unknown) => arg === null || (step.type === 'function' && arg === '');
  const slots = args
    .slice(0, MOST_SLOTS)
    .map((arg): Slot => ({ literal: isOpen(arg) ? undefined : arg, isLiteral: !isOpen(arg), edges: [] }));
  body.operations.set(id, { id, name: nameOf(step), action, slots, branches: branchesOf(compiling, placed) });
}

const nameOf = ({ type, library, method, function: called }: JsonObject): string =>
  type === 'function' ? `function ${shown(called)}` : `${String(library ?? '')}.${String(method ?? type)}`;

function actionOf(compiling: CompileState, { step, path }: LocatedStep): Action | null {
  const { found } = compiling;
  const name = nameOf(step);
  const unknown = (what: string) => {
    addFinding(found.stops, 'unknown_method', `${what} ${name.slice(0, 80)} is not known`, [
      ...path,
      'method',
    ]);
    return null;
  };
  if (step.type === 'function') {
    const body = functionOf(compiling, step.function, [...path, 'function']);
    return body && { kind: 'function', body };
  }
  if (step.type === 'template') {
    if (name !== 'String.templateLiteral') return unknown('the template');
    if (typeof step.template === 'string') return templateOf(step.template);
    addFinding(found.stops, 'missing', 'needs its text', [...path, 'template']);
    return null;
  }
  if (step.type === 'context') {
    if (name === 'Conditional.if...else') return { kind: 'context', cases: null };
    if (name !== 'Conditional.switch') return unknown('the context');
    return { kind: 'context', cases: Array.isArray(step.return) ? step.return : [] };
  }
  const isMethod = step.type === 'method';
  const method = isMethod ? METHODS.get(name) : declarationOf(String(step.library), String(step.method));
  if (!method) return unknown(isMethod ? 'the method' : 'the declaration');
  return methodOf(compiling, { step, path }, method);
}

function methodOf(compiling: CompileState, { step, path }: LocatedStep, method: Method): Action | null {
  const polymorph = typeof step.polymorphIndex === 'number' ? step.polymorphIndex : 0;
  const named: unknown = Array.isArray(step.args) ? step.args[1] : undefined;
  const isLeftOut = method.callback === 'optional' && isAbsent(named);
  if (!method.callback || isLeftOut) return { kind: 'method', method, callback: null, polymorph };
  const callback = functionOf(compiling, named, [...path, 'args', 1]);
  return callback && { kind: 'method', method, callback, polymorph };
}

function functionOf({ body, scope, found }: CompileState, id: unknown, path: Path): ProgramBody | null {
  for (let around: Scope | null = scope; around; around = around.outer) {
    const called = typeof id === 'string' || typeof id === 'number' ? around.own.get(String(id)) : undefined;
    if (!called) continue;
    body.calls.add(called);
    return called;
  }
  addFinding(found.stops, 'unknown_function', `calls the function ${shown(id)}, which does not exist`, path);
  return null;
}

/**
 * Parses a template: each distinct name is a slot, in the order in which names first appear
 * (contract/engines#transformation-declarations).
 */
function templateOf(text: string): Action {
  const names = new Map<string, number>();
  const texts: string[] = [];
  const slots: number[] = [];
  let begun = 0;
  for (const { 0: mark, 1: inside = '', index } of text.matchAll(/\$\{([^{}]*)\}/g)) {
    const name = inside.trim();
    const slot = names.get(name) ?? names.size;
    names.set(name, slot);
    texts.push(text.slice(begun, index));
    slots.push(slot);
    begun = index + mark.length;
  }
  return { kind: 'template', texts: [...texts, text.slice(begun)], slots };
}

/**
 * Returns the branches that contain a step. `#` is the top level; `#/24[2]/30[1]` is branch 1 of step 30, which lies in
 * branch 2 of step 24 (contract/engines#transformation-branches).
 */
function branchesOf({ found, types }: CompileState, { step, path }: LocatedStep): Branch[] {
  const { context } = step;
  if (context === undefined || context === null || context === '#' || context === '') return [];
  const branches: Branch[] = [];
  for (const part of typeof context === 'string' ? context.replace(/^#\//, '').split('/') : ['']) {
    const [, id, index] = /^([^[\]]+)\[(\d+)\]$/.exec(part) ?? [];
    if (id === undefined || types.get(id) !== 'context') {
      addFinding(found.stops, 'dangling', `branch ${shown(context)} does not exist`, [...path, 'context']);
      return [];
    }
    branches.push({ step: id, index: Number(index) });
  }
  return branches;
}

/** Returns a function that adds an edge to its target once all steps exist; null when there is nothing to add. */
function edgeOf(compiling: CompileState, placed: LocatedStep): (() => void) | null {
  const { body, found } = compiling;
  const { step, path } = placed;
  const source = endOf(compiling, step.from, SOURCES, [...path, 'from']);
  const target = endOf(compiling, step.to, TARGETS, [...path, 'to']);
  if (!source || !target) return null;
  const isStep = source.location !== 'incoming';
  // Edges from a context only show which branch a step is in.
  if (source.location === 'context') return null;
  const [head, ...below] = source.tokens;
  if (isStep && head !== 'return') {
    addFinding(found.stops, 'bad_pointer', 'must begin with /return', [...path, 'from', 'ptr']);
    return null;
  }
  const edge: Edge = {
    id: String(step.id),
    from: isStep ? { kind: 'step', step: source.name } : { kind: 'incoming', name: source.name },
    read: isStep ? below : source.tokens,
    write: [],
    branches: branchesOf(compiling, placed),
  };
  if (target.location === 'outgoing') {
    edge.write = target.tokens;
    return () => {
      body.outgoing.find(({ name }) => name === target.name)?.edges.push(edge);
      noteLost(compiling, edge, [...path, 'from']);
    };
  }
  const [args, place, value, ...write] = target.tokens;
  const at = Number(place);
  if (args !== 'args' || !/^\d+$/.test(place ?? '') || value !== 'value' || at >= MOST_SLOTS) {
    addFinding(found.stops, 'bad_pointer', 'must be /args/<slot>/value', [...path, 'to', 'ptr']);
    return null;
  }
  edge.write = write;
  return () => slotAt(body.operations.get(target.name), at)?.edges.push(edge);
}

/** Notes edges that lose their value: sets and expressions become `{}` (contract/engines#transformation-boundary). */
function noteLost({ body, found }: CompileState, { from, read }: Edge, path: Path): void {
  const name = from.kind === 'step' && read.length === 0 ? body.operations.get(from.step)?.name : undefined;
  if (name !== 'Set.new Set' && name !== 'RegExp.new RegExp') return;
  addFinding(found.notes, 'lost', `${name} returns nothing that an output can contain`, path);
}

/** Returns a slot of a step; slots before it that the document does not list stay open. */
function slotAt(operation: Operation | undefined, at: number): Slot | undefined {
  if (!operation) return undefined;
  while (operation.slots.length <= at) {
    operation.slots.push({ literal: undefined, isLiteral: false, edges: [] });
  }
  return operation.slots[at];
}

type End = { location: string; name: string; tokens: string[] };

/** Returns one end of an edge: an input, an output, or a step of the given kind. */
function endOf(
  { body, found, types }: CompileState,
  end: unknown,
  locations: string[],
  path: Path,
): End | null {
  const { location, name, ptr = '' } = fieldsOf(end);
  if (typeof location !== 'string' || !locations.includes(location)) {
    const message = `${shown(location)} must be one of ${locations.join(', ')}`;
    addFinding(found.stops, 'unknown_location', message, [...path, 'location']);
    return null;
  }
  const tokens = typeof ptr === 'string' ? pointerNames(ptr) : null;
  if (!tokens || tokens.some(isUnsafeKey)) {
    addFinding(found.stops, 'bad_pointer', `${shown(ptr)} is not a valid pointer`, [...path, 'ptr']);
    return null;
  }
  const declared =
    location === 'incoming'
      ? body.incoming
      : location === 'outgoing'
        ? body.outgoing.map((one) => one.name)
        : null;
  const isThere = declared ? declared.includes(String(name)) : types.get(String(name)) === location;
  if (!isThere) {
    // An undeclared input is undefined and an undeclared output has no effect; a missing step stops the run.
    const message = `${location} ${shown(name)} does not exist`;
    addFinding(declared ? found.notes : found.stops, 'dangling', message, [...path, 'name']);
    if (!declared) return null;
  }
  return { location, name: String(name), tokens };
}
