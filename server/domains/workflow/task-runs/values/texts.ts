import { indexOfText, splitText } from '#server/kernel/text/text-search.ts';
import type { PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import {
  bounded,
  count,
  joined,
  MOST_ITEMS,
  number,
  optional,
  orNull,
  required,
  shown,
  TaskInputError,
  text,
} from '../task-input.ts';

const stringConcat: PureRun = (incoming) => {
  const behind = orNull(incoming, 'stringN');
  const parts = Array.isArray(behind) ? behind.map(shown) : [shown(behind)];
  return succeeded({ combinedStrings: joined('stringN', [text(incoming, 'str'), ...parts]) });
};

const stringLength: PureRun = (incoming) => succeeded({ length: text(incoming, 'str').length });

const split: PureRun = (incoming) => {
  const limit = optional(count, incoming, 'limit', MOST_ITEMS + 1);
  if (limit < 0) throw new TaskInputError('limit', 'must not be negative');
  const most = Math.min(limit, MOST_ITEMS + 1);
  const [str, separator] = [text(incoming, 'str'), text(incoming, 'separator')];
  // Without a separator, into characters: no half of one is text.
  const parts =
    separator === '' ? [...str.slice(0, 2 * most)].slice(0, most) : splitText(str, separator, most);
  return succeeded({ splitArray: bounded('str', parts) });
};

/** Replaces the first occurrence of a part; the part and its replacement are plain text. */
const replace: PureRun = (incoming) => {
  const whole = text(incoming, 'str');
  const part = text(incoming, 'substr');
  const at = indexOfText(whole, part);
  if (at === -1) return succeeded({ replacedString: whole });
  const parts = [
    whole.slice(0, at),
    optional(text, incoming, 'newSubstr', ''),
    whole.slice(at + part.length),
  ];
  return succeeded({ replacedString: joined('newSubstr', parts) });
};

/** Returns a part of a text; indexes outside the text mean its ends. */
const substring: PureRun = (incoming) => {
  const str = text(incoming, 'str');
  const start = optional(count, incoming, 'indexStart', 0);
  return succeeded({ substring: str.substring(start, optional(count, incoming, 'indexEnd', str.length)) });
};

const numberToString: PureRun = (incoming) => {
  const radix = optional(count, incoming, 'radix', 10);
  if (radix < 2 || radix > 36) throw new TaskInputError('radix', 'must be 2 to 36');
  return succeeded({ numToString: number(incoming, 'num').toString(radix) });
};

const parse: PureRun = (incoming) => succeeded({ textObject: fromJson('text', text(incoming, 'text')) });

/** Parses JSON. @throws TaskInputError with the syntax error */
export function fromJson(variable: string, written: string): unknown {
  try {
    return JSON.parse(written) as unknown;
  } catch (error) {
    throw new TaskInputError(
      variable,
      `is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}`,
    );
  }
}

const stringify: PureRun = (incoming) =>
  succeeded({ stringifiedObject: JSON.stringify(required(incoming, 'obj')) });

/** The runs of these tasks, by name. */
export const TEXT_RUNS: Readonly<Record<string, PureRun>> = {
  numberToString,
  parse,
  replace,
  split,
  stringConcat,
  stringify,
  stringLength,
  substring,
};
