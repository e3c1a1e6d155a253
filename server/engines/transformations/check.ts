import type { Transformation } from '#db/schemas/transformation.ts';

/** One thing that is wrong with a transformation, or that a run may stumble over. */
export type Finding = { code: string; message: string; path: (string | number)[] };

/** What a check found; valid means: no errors (design/transformations.md §1). */
export type Checked = { isValid: boolean; errors: Finding[]; warnings: Finding[] };

type Path = (string | number)[];
type Members = Record<string, unknown>;
type Findings = { errors: Finding[]; warnings: Finding[] };

/** Functions within functions, at most. */
const DEEPEST = 10;

/** Findings of each kind that one check tells. */
const MOST = 100;

const STEP_TYPES = ['assign', 'method', 'declaration', 'template', 'function', 'context'];
const SOURCES = ['incoming', 'method', 'declaration', 'template', 'function', 'context'];
const TARGETS = ['outgoing', 'method', 'declaration', 'template', 'function', 'context'];

/**
 * Check the structure of a transformation, all of it at once. Errors are what the import rules refuse: names and ids
 * that are missing or double, functions without their list of own functions, nesting without end. Warnings are what a
 * draft may hold and a run could not use: step types that there are not, edges that lead nowhere, functions that are
 * called and not there.
 */
export function checkTransformation(
  doc: Pick<Transformation, 'incoming' | 'outgoing' | 'steps' | 'functions'>,
): Checked {
  const found: Findings = { errors: [], warnings: [] };
  const known = new Set(listOf(doc.functions).map(({ id }) => String(id)));
  checkBody(doc, [], known, 0, found);
  const errors = found.errors.slice(0, MOST);
  return { isValid: errors.length === 0, errors, warnings: found.warnings.slice(0, MOST) };
}

/** Inputs, outputs, steps and functions: of the document, or of one function. */
function checkBody(
  body: Members,
  path: Path,
  known: ReadonlySet<string>,
  depth: number,
  found: Findings,
): void {
  for (const side of ['incoming', 'outgoing'] as const) {
    checkUnique(listOf(body[side]), '$id', [...path, side], found);
  }
  checkSteps(body, path, known, found);
  checkFunctions(body, path, known, depth, found);
}

function checkFunctions(
  body: Members,
  path: Path,
  known: ReadonlySet<string>,
  depth: number,
  found: Findings,
): void {
  const functions = listOf(body.functions);
  if (functions.length > 0 && depth >= DEEPEST) {
    tell(found.errors, 'too_deep', `functions are nested deeper than ${DEEPEST}`, [...path, 'functions']);
    return;
  }
  checkUnique(functions, 'name', [...path, 'functions'], found);
  checkUnique(functions, 'id', [...path, 'functions'], found);
  for (const [at, one] of functions.entries()) {
    const here = [...path, 'functions', at];
    if (!Array.isArray(one.functions)) {
      tell(found.errors, 'missing_functions', 'needs its own list of functions', [...here, 'functions']);
    }
    const own = listOf(one.functions).map(({ id }) => String(id));
    checkBody(one, here, new Set([...known, ...own]), depth + 1, found);
  }
}

function checkSteps(body: Members, path: Path, known: ReadonlySet<string>, found: Findings): void {
  const steps = listOf(body.steps);
  checkUnique(steps, 'id', [...path, 'steps'], found);
  const ends: Ends = {
    incoming: namesIn(body.incoming),
    outgoing: namesIn(body.outgoing),
    steps: new Map(steps.map(({ id, type }) => [String(id), String(type)])),
  };
  for (const [at, step] of steps.entries()) {
    const here = [...path, 'steps', at];
    if (!STEP_TYPES.includes(String(step.type))) {
      tell(found.warnings, 'unknown_type', `${shown(step.type)} is no type of step`, [...here, 'type']);
    } else if (step.type === 'assign') {
      checkEnd(step.from, SOURCES, [...here, 'from'], ends, found);
      checkEnd(step.to, TARGETS, [...here, 'to'], ends, found);
    } else if (step.type === 'function' && !known.has(String(step.function))) {
      const message = `calls the function ${shown(step.function)}, which is not there`;
      tell(found.warnings, 'unknown_function', message, [...here, 'function']);
    }
  }
}

type Ends = {
  incoming: ReadonlySet<string>;
  outgoing: ReadonlySet<string>;
  steps: ReadonlyMap<string, string>;
};

/** One end of an edge: an input, an output, or a step of the kind that it says. */
function checkEnd(end: unknown, locations: string[], path: Path, ends: Ends, found: Findings): void {
  const { location, name } = isMembers(end) ? end : {};
  if (typeof location !== 'string' || !locations.includes(location)) {
    tell(found.warnings, 'unknown_location', `${shown(location)} is none of ${locations.join(', ')}`, [
      ...path,
      'location',
    ]);
    return;
  }
  const there =
    location === 'incoming' || location === 'outgoing'
      ? ends[location].has(String(name))
      : ends.steps.get(String(name)) === location;
  if (there) return;
  tell(found.warnings, 'dangling', `there is no ${location} ${shown(name)}`, [...path, 'name']);
}

const namesIn = (list: unknown) => new Set(listOf(list).map(({ $id }) => String($id)));

/** A member by which each element is known: present, and no two alike. */
function checkUnique(list: Members[], member: string, path: Path, found: Findings): void {
  const seen = new Set<string>();
  for (const [at, one] of list.entries()) {
    const value = one[member];
    const here = [...path, at, member];
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') {
      tell(found.errors, 'missing', `needs ${member === '$id' ? 'a name in $id' : `its ${member}`}`, here);
    } else if (seen.has(String(value))) {
      tell(found.errors, 'duplicate', `${shown(value)} is there twice`, here);
    } else seen.add(String(value));
  }
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isMembers) : []);

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

const tell = (list: Finding[], code: string, message: string, path: Path) =>
  void (list.length < MOST && list.push({ code, message, path }));
