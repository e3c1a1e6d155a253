import fc from 'fast-check';

/**
 * Any JSON value as a request may carry it: no minus zero, which JSON text does not have, and nothing that is rejected
 * at any place (the name `__proto__`, U+0000).
 *
 * @param maxDepth  how many lists and objects may lie within each other
 */
export const sentJson = (maxDepth = 3): fc.Arbitrary<unknown> =>
  fc
    .jsonValue({ maxDepth, stringUnit: 'grapheme' })
    .map((value) => JSON.stringify(value))
    .filter((text) => !text.includes('__proto__') && !text.includes('\\u0000'))
    .map((text) => JSON.parse(text) as unknown);
