/** The location of a failure: the functions around it (none: the document's own steps), the step, and its operation. */
export type StepLocation = { functions: string[]; step: string; operation: string };

/** The error for invalid arguments of an operation, or an exceeded limit (contract/engines#transformation-errors). */
export class StepFailed extends Error {
  /** Slot of the invalid value, from 0; null: none in particular. */
  readonly argument: number | null;
  /** The location; null until the step is known. */
  place: StepLocation | null = null;

  constructor(reason: string, argument: number | null = null) {
    super(reason);
    this.name = 'StepFailed';
    this.argument = argument;
  }
}
