import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { compileSteps } from './compile-steps.ts';
import {
  type CompileFindings,
  fieldsOf,
  type JsonObject,
  listOf,
  type Path,
  shown,
  type TransformationFinding,
} from './finding.ts';
import { onCycles } from './order.ts';
import type { Operation, ProgramBody, Scope } from './program.ts';

/** A compiled document, with the errors that stop a run (`stops`), and warnings (`notes`). */
export type CompiledTransformation = {
  body: ProgramBody;
  stops: TransformationFinding[];
  notes: TransformationFinding[];
};

/** Maximum nesting depth of functions. */
export const DEEPEST = 10;

/** The parts of a document that a run needs. */
export type Runnable = Pick<Transformation, 'incoming' | 'outgoing' | 'steps' | 'functions'>;

/** Compiles a document: resolves functions, methods, edges and branches, and reports everything that does not resolve. */
export function compile(document: Runnable): CompiledTransformation {
  const found: CompileFindings = { stops: [], notes: [] };
  const bodies: ProgramBody[] = [];
  const body = shellOf(document, null, []);
  fill(body, document, null, 0, bodies, found);
  const recursive = onCycles(bodies, (one) => one.calls);
  for (const { id, path } of recursive) {
    found.stops.push({
      code: 'recursion',
      message: `the function ${shown(id)} calls itself, directly or through others`,
      path,
    });
  }
  return { body, ...found };
}

const shellOf = (fields: JsonObject, id: string | null, path: Path): ProgramBody => ({
  id,
  path,
  incoming: listOf(fields.incoming).map(({ $id }) => String($id)),
  outgoing: listOf(fields.outgoing).map(({ $id }) => ({ name: String($id), edges: [] })),
  operations: new Map(),
  calls: new Set(),
});

function fill(
  body: ProgramBody,
  fields: JsonObject,
  outer: Scope | null,
  depth: number,
  bodies: ProgramBody[],
  found: CompileFindings,
): void {
  bodies.push(body);
  const functions = listOf(fields.functions);
  if (functions.length > 0 && depth >= DEEPEST) {
    const message = `functions are nested more than ${DEEPEST} levels deep`;
    found.stops.push({ code: 'too_deep', message, path: [...body.path, 'functions'] });
    return;
  }
  const shells = functions.map((one, at) => shellOf(one, String(one.id), [...body.path, 'functions', at]));
  const own = new Map<string, ProgramBody>();
  for (const shell of shells) {
    const id = String(shell.id);
    if (own.has(id)) {
      const message = `the function ${shown(id)} occurs twice`;
      found.stops.push({ code: 'duplicate', message, path: [...shell.path, 'id'] });
    } else own.set(id, shell);
  }
  const scope: Scope = { own, outer };
  compileSteps(body, fields, scope, found);
  assertOrder(body, found);
  for (const [at, shell] of shells.entries()) {
    fill(shell, fieldsOf(functions[at]), scope, depth + 1, bodies, found);
  }
}

/** Reports steps that wait for each other: they can never run. */
function assertOrder(body: ProgramBody, found: CompileFindings): void {
  const needs = function* ({ slots, branches }: Operation): Generator<Operation> {
    const steps = [
      ...branches.map(({ step }) => step),
      ...slots.flatMap(({ edges }) =>
        edges.flatMap(({ from, branches: own }) => [
          ...(from.kind === 'step' ? [from.step] : []),
          ...own.map(({ step }) => step),
        ]),
      ),
    ];
    for (const step of steps) {
      const operation = body.operations.get(step);
      if (operation) yield operation;
    }
  };
  for (const { id, name } of onCycles([...body.operations.values()], needs)) {
    const message = `step ${id} (${name}) depends on its own result`;
    found.stops.push({ code: 'cycle', message, path: [...body.path, 'steps'] });
  }
}
