import { isObject } from '#server/kernel/json/objects.ts';
import { withField } from '../../query/replace.ts';
import { ownField } from '../../query/values.ts';
import type { PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { assertName, object, orNull, required, type TaskInput, TaskInputError } from '../task-input.ts';

/** Maximum depth of a path: requests are no deeper (server/kernel/validation/input-sanity.ts). */
const DEEPEST = 200;

/** Returns the names of a path to a property; a single text is one name. */
function pathOf(incoming: TaskInput): string[] {
  const path = required(incoming, 'path');
  const names = (Array.isArray(path) ? path : [path]).map((name: unknown) => {
    if (typeof name !== 'string' && typeof name !== 'number') {
      throw new TaskInputError('path', 'must be a list of names');
    }
    assertName('path', String(name));
    return String(name);
  });
  if (names.length === 0) throw new TaskInputError('path', 'is empty');
  if (names.length > DEEPEST) throw new TaskInputError('path', `is longer than ${DEEPEST} names`);
  return names;
}

/** Returns a copy with the property at a path set; missing objects on the path are created. */
function withPlace(value: unknown, [name, ...rest]: readonly string[], field: unknown): unknown {
  if (name === undefined) return field;
  if (Array.isArray(value)) {
    const at = /^\d{1,7}$/.test(name) ? Number(name) : -1;
    if (at < 0 || at > value.length) {
      throw new TaskInputError(
        'path',
        `has ${name.slice(0, 50)}, which is not a position in a list of ${value.length}`,
      );
    }
    return value.toSpliced(at, 1, withPlace(value[at], rest, field));
  }
  if (value !== undefined && value !== null && !isObject(value)) {
    throw new TaskInputError(
      'path',
      `leads through ${name.slice(0, 50)} of a value that is not an object or list`,
    );
  }
  const holder = value ?? {};
  return withField(holder, name, withPlace(ownField(holder, name), rest, field));
}

const setObjectKey: PureRun = (incoming) =>
  succeeded({ object: withPlace(object(incoming, 'obj'), pathOf(incoming), orNull(incoming, 'value')) });

/** The runs of these tasks, by name. */
export const OBJECT_RUNS: Readonly<Record<string, PureRun>> = { setObjectKey };
