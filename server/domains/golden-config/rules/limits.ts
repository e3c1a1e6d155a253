/** Most expressions of one spec (contract/engines#expressions). */
export const MOST_EXPRESSIONS = 2000;

/** How deep the lines of a spec may nest. */
export const DEEPEST = 100;
