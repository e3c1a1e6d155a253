import { jsonOr } from '#server/kernel/json/json-or.ts';

/** Returns the type of a value, as messages call it. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'a string';
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/** Returns an own property of an object, an element of a list, or a character or the length of a string; else undefined. */
export function ownField(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  const holder: object = Object(value);
  return Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
}

const isNothing = (value: unknown) => value === null || value === undefined;

/** Returns whether two values are deeply equal; null and undefined are equal. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right || (isNothing(left) && isNothing(right))) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((one, at) => isSame(one, right[at]))
    );
  }
  if (Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(ownField(left, name), ownField(right, name)))
  );
}

/** Returns the number in a text, also with a sign, decimals or an exponent; undefined when it contains none. */
export function numberIn(text: string): number | undefined {
  return /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}

/** Returns a text converted to the type of another value where it parses as one; else the text. */
function readAs(text: string, other: unknown): unknown {
  if (typeof other === 'number') return numberIn(text) ?? text;
  const trimmed = text.trim();
  if (typeof other === 'boolean' || other === null) {
    return trimmed === 'true' ? true : trimmed === 'false' ? false : trimmed === 'null' ? null : text;
  }
  return typeof other === 'object' ? jsonOr(trimmed, text) : text;
}

/** Returns whether two values are equal; a text is converted to the type of the other side. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left === 'string' && typeof right !== 'string') return isSame(readAs(left, right), right);
  if (typeof right === 'string' && typeof left !== 'string') return isSame(left, readAs(right, left));
  return isSame(left, right);
}

/** Compares two values: numbers and numeric texts by value, other texts by character; null when they have no order. */
export function orderOf(left: unknown, right: unknown): number | null {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : Number(a > b);
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  return left < right ? -1 : Number(left > right);
}

const numberOf = (value: unknown) =>
  typeof value === 'number' ? value : typeof value === 'string' ? numberIn(value) : undefined;
