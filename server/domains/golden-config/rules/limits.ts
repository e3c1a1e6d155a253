/** Most expressions of one spec (design/compliance §4.5). */
export const MOST_EXPRESSIONS = 2000;

/** How deep the lines of a spec may nest. */
export const DEEPEST = 100;
