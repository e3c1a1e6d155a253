/** Maximum number of expressions in one spec (contract/engines#expressions). */
export const MOST_EXPRESSIONS = 2000;

/** Maximum nesting depth of a spec's lines. */
export const DEEPEST = 100;
