import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { type CompiledTransformation, compile, DEEPEST, type Runnable } from './compile.ts';
import {
  addFinding,
  type JsonObject,
  listOf,
  MOST,
  type Path,
  shown,
  type TransformationFinding,
} from './finding.ts';

/** The result of a check; valid means without errors (contract/engines#transformation-validation). */
export type TransformationCheck = {
  isValid: boolean;
  errors: TransformationFinding[];
  warnings: TransformationFinding[];
};

/** Codes of findings that stop a run and are reported as errors of the document already. */
const REPORTED_AS_ERRORS = new Set(['duplicate', 'too_deep']);

/**
 * Checks the whole structure of a transformation. Errors are what the import rules reject: missing or duplicate names and
 * ids, functions without their list of own functions, too deep nesting. Warnings are what a draft may contain but a run
 * could not use: unknown types of steps and methods, edges without a target, calls of missing or recursive functions,
 * steps that wait for themselves.
 */
export function checkTransformation(doc: Runnable): TransformationCheck {
  const errors = structureErrors(doc);
  const { stops, notes } = compile(doc);
  const warnings = [...stops.filter(({ code }) => !REPORTED_AS_ERRORS.has(code)), ...notes];
  return { isValid: errors.length === 0, errors, warnings: warnings.slice(0, MOST) };
}

function structureErrors(doc: Runnable): TransformationFinding[] {
  const errors: TransformationFinding[] = [];
  checkBody(doc, [], 0, errors);
  return errors;
}

/**
 * Returns the compiled document, with everything that keeps it from running: a draft, whose structure has errors, does not
 * run (contract/lifecycle#drafts).
 */
export function compileToRun(doc: Runnable): CompiledTransformation {
  const compiled = compile(doc);
  const errors = structureErrors(doc);
  const stops = [
    ...errors,
    ...compiled.stops.filter(({ code }) => errors.length === 0 || !REPORTED_AS_ERRORS.has(code)),
  ];
  return { ...compiled, stops };
}

/**
 * Returns what prevents a document from running, as messages with paths; empty when it runs
 * (contract/engines#transformation-methods: unknown pairs).
 */
export const faultsOf = (document: Runnable): string[] =>
  compileToRun(document).stops.map(({ path, message }) => `${path.join('.')}: ${message}`);

/** Checks inputs, outputs, steps and functions: of the document, or of one function. */
function checkBody(body: JsonObject, path: Path, depth: number, errors: TransformationFinding[]): void {
  for (const side of ['incoming', 'outgoing'] as const) {
    checkUnique(listOf(body[side]), '$id', [...path, side], errors);
  }
  checkUnique(listOf(body.steps), 'id', [...path, 'steps'], errors);
  checkFunctions(body, path, depth, errors);
}

function checkFunctions(body: JsonObject, path: Path, depth: number, errors: TransformationFinding[]): void {
  const functions = listOf(body.functions);
  if (functions.length > 0 && depth >= DEEPEST) {
    addFinding(errors, 'too_deep', `functions are nested more than ${DEEPEST} levels deep`, [
      ...path,
      'functions',
    ]);
    return;
  }
  checkUnique(functions, 'name', [...path, 'functions'], errors);
  checkUnique(functions, 'id', [...path, 'functions'], errors);
  for (const [at, one] of functions.entries()) {
    const here = [...path, 'functions', at];
    if (!Array.isArray(one.functions)) {
      addFinding(errors, 'missing_functions', 'needs its own list of functions', [...here, 'functions']);
    }
    checkBody(one, here, depth + 1, errors);
  }
}

/** Checks that each element has this identifying field, and that its values are unique. */
function checkUnique(list: JsonObject[], field: string, path: Path, errors: TransformationFinding[]): void {
  const seen = new Set<string>();
  for (const [at, one] of list.entries()) {
    const value = one[field];
    const here = [...path, at, field];
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') {
      addFinding(errors, 'missing', `needs ${field === '$id' ? 'a name in $id' : `its ${field}`}`, here);
    } else if (seen.has(String(value))) {
      addFinding(errors, 'duplicate', `${shown(value)} occurs twice`, here);
    } else seen.add(String(value));
  }
}

/**
 * Returns what prevents a transformation from being stored other than as a draft, each issue with its path in the request.
 */
export const transformationIssues = (transformation: Transformation, path: Issue['path']): Issue[] =>
  checkTransformation(transformation).errors.map((one) => ({ ...one, path: [...path, ...one.path] }));
