import { CALLBACKS } from './callbacks.ts';
import { DATA } from './data.ts';
import { DATES } from './dates.ts';
import { DECLARATIONS } from './declarations.ts';
import { LISTS } from './lists.ts';
import type { Method } from './method.ts';
import { OBJECTS } from './objects.ts';
import { OPERATORS } from './operators.ts';
import { TEXTUAL } from './texts.ts';

/** Every method that a step can name, as `Library.method` (contract/engines#transformation-methods). */
export const METHODS: ReadonlyMap<string, Method> = new Map([
  ...LISTS,
  ...CALLBACKS,
  ...OBJECTS,
  ...OPERATORS,
  ...TEXTUAL,
  ...DATA,
  ...DATES,
]);

const BY_NAME = new Map(DECLARATIONS);

/** Returns the method of a declaration; for `new Null` the library does not matter. */
export const declarationOf = (library: string, method: string): Method | undefined =>
  BY_NAME.get(method === 'new Null' ? 'Null.new Null' : `${library}.${method}`);

/** Every declaration that a step can name. */
export const DECLARED: readonly string[] = [...BY_NAME.keys()];
