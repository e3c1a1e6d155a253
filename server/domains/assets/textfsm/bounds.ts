/** The limits of one template, so that compiling it has a bounded cost. */
export const BOUNDS = {
  /** Characters of the template, and of one line. */
  text: 200_000,
  lineLength: 4000,
  values: 300,
  rules: 2000,
  /** Characters of the name of a state or value. */
  name: 48,
  /** Characters and steps of one expression with its values inserted; steps of all expressions together. */
  expression: { longest: 8000, steps: 5000 },
  allSteps: 200_000,
} as const;
