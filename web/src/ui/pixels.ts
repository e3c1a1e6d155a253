let root: number | undefined;

/** Returns a length in pixels, as a style sheet has it in `rem`: who has set larger text in the browser has higher rows and lines. */
export function pixels(rem: number): number {
  root ??= Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return rem * root;
}
