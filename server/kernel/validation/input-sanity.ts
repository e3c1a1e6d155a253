import { invalid, type ServiceError } from '../errors.ts';

/** Deepest nesting of a request; the deepest exported documents reach 40. */
const DEEPEST = 200;

/**
 * Rejects input that cannot be stored or sent on: NUL and lone surrogates (PostgreSQL rejects them), numbers beyond a
 * double, `__proto__` as a name, nesting beyond 200. Both faces call this before any schema sees the input.
 *
 * @param input as JSON.parse returns it
 * @param path of the input, when it is a part of another one
 * @throws ServiceError BAD_REQUEST naming the field
 */
export function assertStorable(input: unknown, path: readonly (string | number)[] = []): void {
  const fault = inspect(input, [...path], path.length);
  if (fault) throw fault;
}

/**
 * Returns whether a value of another system can be stored: whether `assertStorable` accepts it.
 *
 * @param value as another system sent it
 */
export const isStorable = (value: unknown): boolean => inspect(value, [], 0) === null;

function inspect(value: unknown, path: (string | number)[], depth: number): ServiceError | null {
  if (typeof value === 'string') return inspectText(value, path);
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : invalid(path, 'is a number out of range', 'too_big');
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DEEPEST)
    return invalid(path.slice(0, 8), `is nested more than ${DEEPEST} levels deep`, 'too_deep');
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      path.push(i);
      const fault = inspect(value[i], path, depth + 1);
      if (fault) return fault;
      path.pop();
    }
    return null;
  }
  for (const key in value) {
    if (key === '__proto__')
      return invalid([...path, key], 'is not allowed as the name of a field', 'forbidden_name');
    path.push(key);
    const fault = inspectText(key, path) ?? inspect((value as Record<string, unknown>)[key], path, depth + 1);
    if (fault) return fault;
    path.pop();
  }
  return null;
}

function inspectText(text: string, path: (string | number)[]): ServiceError | null {
  if (text.includes('\0'))
    return invalid(path, 'contains a NUL character, which cannot be stored', 'invalid_text');
  if (!text.isWellFormed())
    return invalid(path, 'contains half of a surrogate pair, which is not valid text', 'invalid_text');
  return null;
}
