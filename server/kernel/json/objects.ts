/** A JSON object whose fields are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object: not a list, and not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a field of an object itself, and none of those that every object inherits, such as `constructor`. */
export const ownField = <Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Returns a field of any value; undefined where the value is no object. */
export const fieldIn = (value: unknown, name: string): unknown =>
  isObject(value) ? ownField(value, name) : undefined;

/** Returns whether a field was left out: by its absence, by null or by an empty text. @param value of the field */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Returns a value that is text, and an empty text for any other. */
export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
