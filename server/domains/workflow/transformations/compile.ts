import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { compileSteps } from './compile-steps.ts';
import { type Finding, type Findings, listOf, type Members, membersOf, type Path, shown } from './finding.ts';
import { onCycles } from './order.ts';
import type { Body, Operation, Scope } from './program.ts';

/** A document ready to run, and what was found on the way: what stops a run, and what should be looked at. */
export type Compiled = { body: Body; stops: Finding[]; notes: Finding[] };

/** Functions within functions, at most. */
export const DEEPEST = 10;

/** The parts of a document that a run needs. */
export type Runnable = Pick<Transformation, 'incoming' | 'outgoing' | 'steps' | 'functions'>;

/** Resolve a document: functions, methods, edges and branches; everything that cannot be resolved is told. */
export function compile(document: Runnable): Compiled {
  const found: Findings = { stops: [], notes: [] };
  const bodies: Body[] = [];
  const body = shellOf(document, null, []);
  fill(body, document, null, 0, bodies, found);
  const recursive = onCycles(bodies, (one) => one.calls);
  for (const { id, path } of recursive) {
    found.stops.push({ code: 'recursion', message: `the function ${shown(id)} comes to call itself`, path });
  }
  return { body, ...found };
}

const shellOf = (members: Members, id: string | null, path: Path): Body => ({
  id,
  path,
  incoming: listOf(members.incoming).map(({ $id }) => String($id)),
  outgoing: listOf(members.outgoing).map(({ $id }) => ({ name: String($id), edges: [] })),
  operations: new Map(),
  calls: new Set(),
});

function fill(
  body: Body,
  members: Members,
  outer: Scope | null,
  depth: number,
  bodies: Body[],
  found: Findings,
): void {
  bodies.push(body);
  const functions = listOf(members.functions);
  if (functions.length > 0 && depth >= DEEPEST) {
    const message = `functions are nested deeper than ${DEEPEST}`;
    found.stops.push({ code: 'too_deep', message, path: [...body.path, 'functions'] });
    return;
  }
  const shells = functions.map((one, at) => shellOf(one, String(one.id), [...body.path, 'functions', at]));
  const own = new Map<string, Body>();
  for (const shell of shells) {
    const id = String(shell.id);
    if (own.has(id)) {
      const message = `the function ${shown(id)} is there twice`;
      found.stops.push({ code: 'duplicate', message, path: [...shell.path, 'id'] });
    } else own.set(id, shell);
  }
  const scope: Scope = { own, outer };
  compileSteps(body, members, scope, found);
  assertOrder(body, found);
  for (const [at, shell] of shells.entries()) {
    fill(shell, membersOf(functions[at]), scope, depth + 1, bodies, found);
  }
}

/** Steps that wait for each other can never be done. */
function assertOrder(body: Body, found: Findings): void {
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
    const message = `step ${id} (${name}) waits for itself`;
    found.stops.push({ code: 'cycle', message, path: [...body.path, 'steps'] });
  }
}

/**
 * What keeps a document from running, in sentences that name the place; none: it runs
 * (contract/engines#transformation-methods: unknown pairs).
 */
export const faultsOf = (document: Runnable): string[] =>
  compile(document).stops.map(({ path, message }) => `${path.join('.')}: ${message}`);
