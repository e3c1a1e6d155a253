/** Returns a list of which the part at an index is another, or is taken out where that is undefined. */
export const withPart = <Part>(parts: readonly Part[], at: number, part: Part | undefined): Part[] =>
  parts.flatMap((one, index) => (index !== at ? [one] : part === undefined ? [] : [part]));
