import { counted, queryValue, type Visit } from '../../query/find.ts';
import { numberIn, ownField } from '../../query/values.ts';
import type { PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { assertTextLength, joined, oneOf, orNull, required, shown, TaskInputError } from '../task-input.ts';
import { fromJson } from './texts.ts';

/** A placeholder; the length of its name is limited, so that no text makes the search slow. */
const PLACE = /<!([^<>]{1,200}?)!>/g;

/**
 * Returns a text with `<!name!>` filled in: text as it is, other values as JSON. Unknown placeholders are left unchanged.
 *
 * @throws TaskInputError when it becomes too long
 */
export function filled(variable: string, written: string, variables: unknown): string {
  const parts: string[] = [];
  const visit = counted(variables);
  // Each value is looked up and serialized once, however often it is named.
  const known = new Map<string, string | undefined>();
  let from = 0;
  let length = written.length;
  for (const found of written.matchAll(PLACE)) {
    const name = (found[1] ?? '').trim();
    if (!known.has(name)) {
      const value = valueNamed(name, variables, visit);
      known.set(name, value === undefined ? undefined : shown(value));
      visit((known.get(name)?.length ?? 0) / 64);
    }
    const part = known.get(name) ?? found[0];
    length += part.length - found[0].length;
    assertTextLength(variable, length);
    parts.push(written.slice(from, found.index), part);
    from = found.index + found[0].length;
  }
  return joined(variable, [...parts, written.slice(from)]);
}

/** Returns a property by its name, or by a query into the values. */
function valueNamed(name: string, variables: unknown, visit: Visit): unknown {
  if (typeof variables !== 'object' || variables === null || name === '') return undefined;
  return (
    ownField(variables, name) ?? (/^[\w.-]+$/.test(name) ? queryValue(name, variables, visit) : undefined)
  );
}

const makeData: PureRun = (incoming) => {
  const input = required(incoming, 'input');
  const type = oneOf(incoming, 'outputType', ['string', 'json', 'number', 'boolean']);
  const text = filled('input', shown(input), orNull(incoming, 'variables'));
  if (type === 'string') return succeeded({ output: text });
  if (type === 'json') return succeeded({ output: fromJson('input', text) });
  const output = type === 'number' ? numberIn(text) : truthIn(text);
  if (output === undefined) {
    throw new TaskInputError(
      'input',
      `is not a ${type} after its variables are replaced: ${text.slice(0, 100)}`,
    );
  }
  return succeeded({ output });
};

const truthIn = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
};

/** The runs of these tasks, by name. */
export const MAKE_DATA_RUNS: Readonly<Record<string, PureRun>> = { makeData };
