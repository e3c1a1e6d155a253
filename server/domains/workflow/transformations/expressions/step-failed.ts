/** Where a run failed: the function it was in (none: the document's own steps), the step, and what the step does. */
export type StepLocation = { functions: string[]; step: string; operation: string };

/**
 * An operation that cannot be done with what it was given, or that would take too much
 * (contract/engines#transformation-errors).
 */
export class StepFailed extends Error {
  /** Slot of the value that does not do, from 0; null: none in particular. */
  readonly argument: number | null;
  /** Where; null until the step is known. */
  place: StepLocation | null = null;

  constructor(reason: string, argument: number | null = null) {
    super(reason);
    this.name = 'StepFailed';
    this.argument = argument;
  }
}
