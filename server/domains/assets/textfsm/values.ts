import { PatternError } from '#server/kernel/documents/list-filter.ts';
import { BOUNDS } from './bounds.ts';
import { compileLine } from './expressions.ts';
import { VALUE_OPTIONS, type Value, type ValueOption } from './template.ts';

const VALUE_LINE = /^Value\s+(?:([^\s(]\S*)\s+)?(\w+)\s+(\(.*)$/;

/**
 * Parses a line `Value [options] NAME (expression)`.
 *
 * @returns the value, or a message about the invalid line
 */
export function readValue(line: string): Value | string {
  const [, given, name = '', source = ''] = VALUE_LINE.exec(line) ?? [];
  if (!source) return 'expected: Value [option,…] NAME (expression)';
  if (name.length > BOUNDS.name) return `the name ${name} is longer than ${BOUNDS.name} characters`;
  const options = (given?.split(',') ?? []) as ValueOption[];
  const unknown = options.find((option) => !VALUE_OPTIONS.includes(option));
  if (unknown !== undefined) return `${unknown} is not one of the options ${VALUE_OPTIONS.join(', ')}`;
  const repeated = options.find((option, at) => options.indexOf(option) !== at);
  if (repeated !== undefined) return `the option ${repeated} occurs twice`;
  if (!/[^\\]\)$/.test(source)) return `the expression of ${name} must be enclosed in parentheses`;
  try {
    const expression = compileLine(source);
    const nested = options.includes('List') && expression.names.length > 0;
    return { name, options: new Set(options), source, groups: nested ? expression : null };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}
