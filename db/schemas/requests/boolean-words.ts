const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
  // As Python writes them: its clients put values into queries with `str`.
  ['True', true],
  ['False', false],
]);

/** Returns the boolean that a text of a query means; undefined when it is none. */
export const booleanIn = (text: string): boolean | undefined => BOOLEANS.get(text);
