import { PatternError } from '#server/kernel/documents/list-filter.ts';
import { compileLine } from './expressions.ts';
import type { LineAction, RecordAction, TextFsmRule, Value } from './template.ts';

export const LINE_ACTIONS = ['Next', 'Continue', 'Error'];
export const RECORD_ACTIONS = ['NoRecord', 'Record', 'Clear', 'Clearall'];

const LINE = LINE_ACTIONS.join('|');
const RECORD = RECORD_ACTIONS.join('|');
const ACTION = new RegExp(`^(?:\\s+(${LINE})(?:\\.(${RECORD}))?|\\s+(${RECORD}))?(?:\\s+(\\w+|".*"))?$`);

/** Returns whether a line has the format of a rule: one or two spaces, or a tab, and `^`. */
export const isRule = (line: string): boolean => /^(?: {1,2}|\t)\^/.test(line);

/**
 * Parses a line `^expression [-> [line action][.record action] [state]]`.
 *
 * @param values the values that `${NAME}` may refer to; null for one that is invalid and already reported
 * @param line the line's number, from 1
 * @returns the rule, or a message about the invalid line; null when only an invalid value is to blame
 */
export function readRule(
  text: string,
  values: ReadonlyMap<string, Value | null>,
  line: number,
): TextFsmRule | string | null {
  const [matched, action] = cut(text.trim());
  const [, lineAction, joined, alone, target] = ACTION.exec(action) ?? [];
  if (action.trim() !== '' && lineAction === undefined && alone === undefined && target === undefined) {
    return `the action ${action.trim()} is not valid: use [Next|Continue|Error][.Record|.NoRecord|.Clear|.Clearall] [state]`;
  }
  if (lineAction === 'Continue' && target !== undefined) {
    return 'Continue stays in its state: it cannot name another state';
  }
  if (lineAction !== 'Error' && target?.startsWith('"')) return `${target} cannot be the name of a state`;
  const source = written(matched, values);
  if (source === null || source.fault !== undefined) return source?.fault ?? null;
  try {
    const expression = compileLine(source.text);
    return {
      line,
      expression,
      assigns: expression.names.filter((name) => values.has(name)),
      // ACTION matches nothing else.
      lineAction: (lineAction ?? 'Next') as LineAction,
      recordAction: (joined ?? alone ?? 'NoRecord') as RecordAction,
      next: lineAction === 'Error' ? null : (target ?? null),
      message: lineAction === 'Error' ? (target?.replace(/^"(.*)"$/, '$1') ?? null) : null,
    };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

/** Splits a rule into its expression and the text after the last arrow. */
function cut(text: string): [matched: string, action: string] {
  for (let at = text.lastIndexOf('->'); at > 0; at = text.lastIndexOf('->', at - 1)) {
    if (/\s/.test(text[at - 1] ?? '')) return [text.slice(0, at - 1), text.slice(at + 2)];
  }
  return [text, ''];
}

type TranslatedRule = { text: string; fault?: undefined } | { fault: string };

/** Returns the expression with every value's own inserted, and `$$` replaced by `$`. */
function written(source: string, values: ReadonlyMap<string, Value | null>): TranslatedRule | null {
  let fault: string | undefined;
  let broken = false;
  const text = source.replace(/\$(?:(\$)|\{(\w+)\}|([A-Za-z_]\w*))?/g, (_, dollar, braced, bare) => {
    if (dollar !== undefined) return '$';
    const name: string | undefined = braced ?? bare;
    if (name === undefined) fault ??= 'a single $ starts a Value: write $$ for the end of the line';
    else if (!values.has(name)) fault ??= `the Value ${name} does not exist`;
    const value = name === undefined ? undefined : values.get(name);
    broken ||= value === null;
    return value ? `(?P<${value.name}>${value.source.slice(1)}` : '';
  });
  if (fault !== undefined) return { fault };
  return broken ? null : { text };
}
