import { isSame } from '../../query/values.ts';
import type { PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import {
  bounded,
  count,
  joined,
  list,
  optional,
  orNull,
  required,
  shown,
  type TaskInput,
  text,
} from '../task-input.ts';

const arrayPush: PureRun = (incoming) =>
  succeeded({ pushedArray: bounded('arr', [...list(incoming, 'arr'), orNull(incoming, 'elementN')]) });

const arrayLength: PureRun = (incoming) => succeeded({ length: list(incoming, 'arr').length });

/** Returns the index of the first equal item from `fromIndex` on; a negative `fromIndex` counts from the end. */
function placeOf(incoming: TaskInput): number {
  const arr = list(incoming, 'arr');
  const wanted = required(incoming, 'searchElement');
  const from = optional(count, incoming, 'fromIndex', 0);
  const start = from < 0 ? Math.max(0, arr.length + from) : from;
  const found = arr.slice(start).findIndex((one) => isSame(one, wanted));
  return found === -1 ? -1 : found + start;
}

const arrayIndexOf: PureRun = (incoming) => succeeded({ index: placeOf(incoming) });

const arrayIncludes: PureRun = (incoming) => {
  const found = placeOf(incoming) !== -1;
  return succeeded({ found, result: found });
};

const arrayConcat: PureRun = (incoming) => {
  const behind = optional(list, incoming, 'arrayN', []);
  return succeeded({ concatenatedArray: bounded('arrayN', [...list(incoming, 'arr'), ...behind]) });
};

const join: PureRun = (incoming) => {
  const separator = optional(text, incoming, 'separator', separatorOf(incoming));
  return succeeded({ joinedElements: joined('arr', list(incoming, 'arr').map(shown), separator) });
};

/** Returns the separator: an empty one counts, an absent one is a comma. */
const separatorOf = ({ separator }: TaskInput) => (separator === '' ? '' : ',');

/** The runs of these tasks, by name. */
export const ARRAY_RUNS: Readonly<Record<string, PureRun>> = {
  arrayConcat,
  arrayIncludes,
  arrayIndexOf,
  arrayLength,
  arrayPush,
  join,
};
