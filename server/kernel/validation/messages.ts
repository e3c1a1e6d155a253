import { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** Types of JSON as a message names them; other types of Zod keep their names. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a date and time in ISO 8601, such as 2026-01-31T08:00:00Z',
  date: 'a date, such as 2026-01-31',
  time: 'a time of day, such as 08:00:00',
  duration: 'a duration in ISO 8601, such as PT15M',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 network',
  cidrv6: 'an IPv6 network',
  base64: 'text in base64',
  base64url: 'text in base64url',
  json_string: 'JSON',
};

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['element', 'elements'],
  set: ['element', 'elements'],
  map: ['entry', 'entries'],
};

/** Sets the messages of issues whose schema has none of its own. */
z.config({ customError: messageOf });

/**
 * Returns the words that follow the name of the field in a message: `is required`, `must be a string, not a number`.
 *
 * @param issue of Zod, with the value in `input`
 * @returns undefined for unknown fields, which have an issue for each of their names (zod-issues.ts)
 */
function messageOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return ofType(issue.expected, issue.input);
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOf(issue.values);
    case 'too_small':
      return ofSize(issue, issue.minimum, issue.inclusive ? 'at least' : 'more than');
    case 'too_big':
      return ofSize(issue, issue.maximum, issue.inclusive ? 'at most' : 'less than');
    case 'invalid_format':
      return ofFormat(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return ofUnion(issue);
    case 'unrecognized_keys':
      return undefined;
    default:
      return 'is not valid';
  }
}

function ofType(expected: string, input: unknown): string {
  if (input === undefined) return 'is required';
  if (expected === 'never') return 'must be absent';
  const wanted = `must be ${TYPES[expected] ?? expected}`;
  const given = expected === 'int' && typeof input === 'number' ? undefined : typeOf(input);
  return given === undefined ? wanted : `${wanted}, not ${given}`;
}

/** Returns the type of a value; undefined for what JSON does not have, and for `NaN`: text that was to be a number. */
function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return TYPES.array;
  if (typeof value === 'boolean') return String(value);
  return Number.isNaN(value) ? undefined : TYPES[typeof value];
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(', ')}`;
}

type Sized = RawIssue & { origin: string; exact?: boolean | undefined };

function ofSize({ origin, exact, input }: Sized, bound: number | bigint, comparison: string): string {
  const [one, many] = UNITS[origin] ?? [];
  const amount = `${exact ? 'exactly' : comparison} ${bound}`;
  if (one === undefined) return `must be ${amount}`;
  const isEmpty = (typeof input === 'string' || Array.isArray(input)) && input.length === 0;
  if (isEmpty && comparison === 'at least' && Number(bound) === 1) return 'must not be empty';
  return `must have ${amount} ${Number(bound) === 1 ? one : many}`;
}

function ofFormat(issue: RawIssue & { code: 'invalid_format'; format: string }): string {
  const { format, prefix, suffix, includes, pattern } = issue;
  if (format === 'starts_with') return `must start with ${JSON.stringify(prefix)}`;
  if (format === 'ends_with') return `must end with ${JSON.stringify(suffix)}`;
  if (format === 'includes') return `must contain ${JSON.stringify(includes)}`;
  if (format === 'regex') return `must match ${pattern}`;
  return `must be ${FORMATS[format] ?? `a valid ${format}`}`;
}

function ofUnion(issue: RawIssue & { code: 'invalid_union' }): string {
  if (Array.isArray(issue.options) && issue.options.length > 0) return oneOf(issue.options);
  return issue.input === undefined ? 'is required' : 'has none of the accepted forms';
}
