import { isObject } from '#server/kernel/json/objects.ts';
import { pointerNames } from '#server/kernel/json/pointer.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';

/** Thrown for what makes an operation unusable; the message is the reason that callers read. */
export class UnusableOperation extends Error {}

/** Most references from one to the next. */
const MOST_STEPS = 20;

/** Returns whether an object is a reference to another part of the document. */
export const isReference = (value: unknown): value is { $ref: string } =>
  isObject(value) && typeof value.$ref === 'string';

/**
 * Returns the object that a value of a document is or refers to: references are followed one at a time, and only
 * within the document.
 *
 * @param what the value in the reason: `parameter 3`
 * @throws UnusableOperation when the references lead nowhere, outside, or too far
 */
export function follow(document: object, value: unknown, what: string): Record<string, unknown> {
  let at = value;
  for (let steps = 0; isReference(at); steps++) {
    if (steps === MOST_STEPS)
      throw new UnusableOperation(`${what} has more than ${MOST_STEPS} references in a row`);
    at = targetOf(document, at.$ref, what);
  }
  if (!isObject(at)) throw new UnusableOperation(`${what} is not an object`);
  return at;
}

/** Returns the part of the document that a reference names. @throws UnusableOperation */
function targetOf(document: object, reference: string, what: string): unknown {
  const target = partAt(document, reference);
  if (target === undefined) {
    throw new UnusableOperation(`${what} refers to ${reference.slice(0, 200)}, which does not exist`);
  }
  return target;
}

/** Returns the part of the document that a reference names; undefined when it names none within the document. */
export function partAt(document: object, reference: string): unknown {
  const names = reference.startsWith('#')
    ? pointerNames(percentDecoded(reference.slice(1), reference.slice(1)))
    : null;
  let at: unknown = names ? document : undefined;
  for (const name of names ?? []) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
