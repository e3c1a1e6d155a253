import { query } from '../expressions/query.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import { isList, plain, textOf } from '../expressions/values.ts';
import { assertText, type RunState, spend, spendText } from '../run.ts';
import { eager, library, textAt } from './method.ts';

/** Maximum size of a value that is printed with an indent: each line may be long. */
const MOST_INDENTED = 100_000;

/** Parses a text as JSON. @throws StepFailed with the syntax error */
export function parsedJson(run: RunState, value: unknown): unknown {
  const text = textOf(run, value);
  spendText(run, text.length);
  spend(run, Math.ceil(text.length / 16));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepFailed(error instanceof Error ? error.message : 'the text is not JSON', 0);
  }
}

/** Returns a value as JSON text; undefined for undefined. */
function jsonText(run: RunState, [value, fields, space]: readonly unknown[]): string | undefined {
  const before = run.work;
  const written = plain(run, value);
  const indent = typeof space === 'number' || typeof space === 'string' ? space : undefined;
  if (indent !== undefined && run.work - before > MOST_INDENTED)
    throw new StepFailed('the value is too large');
  const names = isList(fields) ? fields.map((one) => textOf(run, one)) : null;
  // TypeScript's type omits undefined, which has no JSON text.
  const text = JSON.stringify(written, names, indent) as string | undefined;
  if (text !== undefined) assertText(run, text.length);
  return text;
}

/** Methods for JSON, and the query language of the query task (contract/engines#transformation-methods). */
export const DATA = [
  ...library('JSON', {
    parse: eager(([text], { run }) => parsedJson(run, text)),
    stringify: eager((args, { run }) => jsonText(run, args)),
    'type of': eager(([value]) => (value === null ? 'object' : typeof value)),
  }),
  ...library('WorkFlowEngine', {
    query: eager((args, { run }) => {
      const found = query(run, textAt(args, 1), args[2]);
      if (found !== undefined && found !== null) return found;
      if (args[0] === true || args[0] === 'true') return null;
      throw new StepFailed(`the query ${textAt(args, 1).slice(0, 100)} matches nothing`, 1);
    }),
  }),
];
