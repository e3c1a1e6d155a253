import type { Issue } from '#server/kernel/errors.ts';
import { isObject, ownField } from '#server/kernel/json/objects.ts';

/** An argument of a method. */
type Input = { name: string; type: string; required: boolean };

const MATCHES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
};

/**
 * Returns the arguments of a method from the values of its task: in the order of the method, `undefined` for what is not
 * given. An empty text counts as not given unless the argument is a text.
 *
 * @returns `issues` instead, when a value is missing or of another type, or no argument has its name
 */
export function argumentsOf(
  inputs: readonly Input[],
  values: Readonly<Record<string, unknown>>,
): { args: unknown[] } | { issues: Issue[] } {
  const issues: Issue[] = [];
  const args = inputs.map(({ name, type, required }) => {
    const given = ownField(values, name);
    const value = given === null || (given === '' && type !== 'string') ? undefined : given;
    if (value === undefined || (value === '' && required)) {
      if (required) issues.push({ path: [name], message: 'is missing', code: 'required' });
      return undefined;
    }
    if (MATCHES[type]?.(value) === false) {
      const article = /^[aeiou]/.test(type) ? 'an' : 'a';
      issues.push({ path: [name], message: `must be ${article} ${type}`, code: 'invalid_type' });
    }
    return value;
  });
  const known = new Set(inputs.map(({ name }) => name));
  for (const name of Object.keys(values)) {
    if (known.has(name) || name === 'adapter_id') continue;
    issues.push({ path: [name], message: 'is no value of this task', code: 'unrecognized_keys' });
  }
  return issues.length > 0 ? { issues } : { args };
}
