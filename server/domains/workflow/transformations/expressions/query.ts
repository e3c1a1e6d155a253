import { find } from '../../query/find.ts';
import { type Operand, parseQuery, type Query, type QueryStep, QuerySyntaxError } from '../../query/parse.ts';
import { type RunState, spend } from '../run.ts';
import { StepFailed } from './step-failed.ts';
import { assertKey } from './values.ts';

/**
 * Returns what a path finds, in the language of the query task (contract/engines#transformation-methods; docs/tasks.md),
 * within the budget of the run. Names that reach behind an object are rejected, as everywhere in transformations
 * (contract/engines#transformation-safety).
 *
 * @throws StepFailed for an invalid path, or one that takes too long
 */
export function query(run: RunState, path: string, value: unknown): unknown {
  if (path.trim() === '') return value;
  try {
    const read = parseQuery(path);
    assertNames(read);
    return find(read, value, (elements) => spend(run, elements));
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    throw new StepFailed(`the query ${path.slice(0, 100)} cannot be parsed: ${error.message}`, 1);
  }
}

function assertNames(read: Query): void {
  for (const step of read.flat()) assertStep(step);
}

function assertStep(step: QueryStep): void {
  if (step.kind === 'within') for (const inner of step.steps) assertStep(inner);
  else if (step.kind === 'elements') for (const { member } of step.conditions) assertName(member);
  else if (step.kind !== 'values') assertName(step.name);
}

function assertName(name: Operand): void {
  if ('text' in name) assertKey(name.text, 1);
  else assertNames(name.query);
}
