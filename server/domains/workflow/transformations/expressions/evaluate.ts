import type { MethodCall } from '../methods/method.ts';
import type { Branch, Edge, Operation, ProgramBody, Slot } from '../program.ts';
import { assertText, type RunState, spend, spendText } from '../run.ts';
import { type Cell, cellOf, force, known, type Work } from './lazy-values.ts';
import { read, written } from './pointers.ts';
import { StepFailed } from './step-failed.ts';
import { define, textOf } from './values.ts';

/** One evaluation of a body: its inputs, and the results so far. */
export type Frame = {
  run: RunState;
  body: ProgramBody;
  /** Ids of the functions from the document down to this one. */
  functions: string[];
  inputs: ReadonlyMap<string, Cell>;
  results: Map<string, Cell>;
  choices: Map<string, Cell>;
  callees: Map<string, Frame>;
  outputs: Map<string, Cell>;
};

/** Returns a new evaluation; values are computed on demand. */
export const frameOf = (
  run: RunState,
  body: ProgramBody,
  inputs: ReadonlyMap<string, Cell>,
  functions: string[] = [],
): Frame => ({
  run,
  body,
  functions,
  inputs,
  results: new Map(),
  choices: new Map(),
  callees: new Map(),
  outputs: new Map(),
});

/** Returns the value of an output by its name; undefined when nothing was assigned to it. @throws StepFailed */
export const outputOf = (frame: Frame, name: string): unknown => force(outputCell(frame, name));

function cachedCell(cells: Map<string, Cell>, key: string, start: () => Work): Cell {
  const there = cells.get(key);
  if (there) return there;
  const fresh = cellOf(start);
  cells.set(key, fresh);
  return fresh;
}

const outputCell = (frame: Frame, name: string): Cell =>
  cachedCell(frame.outputs, name, () => {
    const output = frame.body.outgoing.find((one) => one.name === name);
    return gathered(frame, output?.edges ?? [], undefined);
  });

/** Merges the values of edges into one target, shallow paths first; edges of branches not chosen are skipped. */
function* gathered(frame: Frame, edges: readonly Edge[], base: unknown): Work {
  let value = base;
  for (const edge of edges) {
    if (!(yield* isChosen(frame, edge.branches))) continue;
    const { from } = edge;
    const source = from.kind === 'step' ? frame.body.operations.get(from.step) : undefined;
    if (source && !(yield* isChosen(frame, source.branches))) continue;
    const fresh = read(yield* sourceValue(frame, edge, source), restOf(edge, source));
    value = edge.write.length === 0 ? fresh : written(frame.run, value, edge.write, fresh);
  }
  return value;
}

/** Returns whether every enclosing branch is the chosen one (contract/engines#transformation-branches). */
function* isChosen(frame: Frame, branches: readonly Branch[]): Work {
  for (const { step, index } of branches) {
    const operation = frame.body.operations.get(step);
    if (!operation) return false;
    const choice = choiceCell(frame, operation);
    if ((choice.isDone ? choice.value : yield choice) !== index) return false;
  }
  return true;
}

function* sourceValue(frame: Frame, { from, read: tokens }: Edge, source: Operation | undefined): Work {
  if (from.kind === 'incoming') {
    const input = frame.inputs.get(from.name);
    if (!input) return undefined;
    return input.isDone ? input.value : yield input;
  }
  if (!source) return undefined;
  const [name] = tokens;
  const isOneOutput = source.action.kind === 'function' && name !== undefined;
  const cell = isOneOutput ? outputCell(calleeOf(frame, source), name) : resultCell(frame, source);
  return cell.isDone ? cell.value : yield cell;
}

/** Returns the remaining pointer: for a function, its first token has already selected an output. */
const restOf = ({ read: tokens }: Edge, source: Operation | undefined): string[] =>
  source?.action.kind === 'function' ? tokens.slice(1) : tokens;

const choiceCell = (frame: Frame, operation: Operation): Cell =>
  cachedCell(frame.choices, operation.id, function* (): Work {
    if (operation.action.kind !== 'context' || !(yield* isChosen(frame, operation.branches))) return null;
    const { cases } = operation.action;
    const value = yield* slotValue(frame, operation.slots[0]);
    if (!cases) return value ? 0 : 1;
    // The first branch is the default for values without a case; cases count from 1.
    return cases.indexOf(value) + 1;
  });

function* slotValue(frame: Frame, slot: Slot | undefined): Work {
  if (!slot) return undefined;
  if (slot.edges.length === 0) return slot.literal;
  return yield* gathered(frame, slot.edges, slot.literal);
}

/** Returns the frame of a function that a step calls; its inputs are the slots, by position. */
function calleeOf(frame: Frame, operation: Operation): Frame {
  const there = frame.callees.get(operation.id);
  if (there) return there;
  const { action, slots } = operation;
  if (action.kind !== 'function') throw new StepFailed('the step calls no function');
  const inputs = action.body.incoming.map((name, at): [string, Cell] => [
    name,
    cellOf(() => slotValue(frame, slots[at])),
  ]);
  const fresh = frameOf(frame.run, action.body, new Map(inputs), [...frame.functions, action.body.id ?? '']);
  frame.callees.set(operation.id, fresh);
  return fresh;
}

const resultCell = (frame: Frame, operation: Operation): Cell =>
  cachedCell(frame.results, operation.id, function* (): Work {
    if (!(yield* isChosen(frame, operation.branches))) return undefined;
    const { run } = frame;
    const { action, slots } = operation;
    try {
      spend(run, 1);
      if (action.kind === 'function') return yield* allOutputs(calleeOf(frame, operation));
      if (action.kind === 'method' && 'lazy' in action.method) {
        return yield* action.method.lazy((at) => cellOf(() => slotValue(frame, slots[at])));
      }
      const args: unknown[] = [];
      for (const slot of slots) args.push(yield* slotValue(frame, slot));
      // Trailing slots without a value are omitted, so that defaults apply (contract/engines#transformation-arguments).
      while (args.length > 0 && !isGiven(slots[args.length - 1])) args.pop();
      if (action.kind === 'template') return templateText(run, action, args);
      if (action.kind !== 'method' || !('run' in action.method)) return undefined;
      return action.method.run(args, callOf(frame, operation, args));
    } catch (error) {
      throw placed(error, frame, operation);
    }
  });

const isGiven = (slot: Slot | undefined): boolean =>
  slot !== undefined && (slot.isLiteral || slot.edges.length > 0);

function* allOutputs(frame: Frame): Work {
  const made = {};
  for (const { name } of frame.body.outgoing) {
    const cell = outputCell(frame, name);
    const value = cell.isDone ? cell.value : yield cell;
    if (value !== undefined) define(made, name, value);
  }
  return made;
}

function templateText(
  run: RunState,
  { texts, slots }: { texts: string[]; slots: number[] },
  args: readonly unknown[],
): string {
  let made = texts[0] ?? '';
  for (const [at, slot] of slots.entries()) {
    const value = textOf(run, args[slot]);
    const text = texts[at + 1] ?? '';
    assertText(run, made.length + value.length + text.length);
    spendText(run, value.length + text.length);
    made += value + text;
  }
  return made;
}

function callOf(frame: Frame, { action, slots }: Operation, args: readonly unknown[]): MethodCall {
  const callback = action.kind === 'method' ? action.callback : null;
  const first = action.kind === 'method' ? (action.method.constants ?? 0) : 0;
  const constants = args.slice(first);
  return {
    run: frame.run,
    given: (slot) => isGiven(slots[slot]),
    literal: (slot) => slots[slot]?.isLiteral === true && slots[slot]?.edges.length === 0,
    polymorph: action.kind === 'method' ? action.polymorph : 0,
    invoke: (...values) => {
      if (!callback) throw new StepFailed('the step names no function', 1);
      return called(frame, callback, [...values, ...constants]);
    },
  };
}

/** Runs a callback: parameters by position, result is its only output (contract/engines#transformation-functions). */
function called({ run, functions }: Frame, body: ProgramBody, args: readonly unknown[]): unknown {
  const [output] = body.outgoing;
  if (!output) return undefined;
  spend(run, 1);
  if (++run.depth > run.limits.depth) throw new StepFailed('functions call each other too deeply');
  const inputs = new Map(body.incoming.map((name, at) => [name, known(args[at])]));
  const result = outputOf(frameOf(run, body, inputs, [...functions, body.id ?? '']), output.name);
  run.depth--;
  return result;
}

/** Returns the failure with the step where it happened; exceptions of the JavaScript runtime become one too. */
function placed(error: unknown, { functions }: Frame, { id, name }: Operation): StepFailed {
  const failure =
    error instanceof StepFailed
      ? error
      : new StepFailed(
          error instanceof RangeError || error instanceof TypeError ? error.message : String(error),
        );
  failure.place ??= { functions, step: id, operation: name };
  return failure;
}
