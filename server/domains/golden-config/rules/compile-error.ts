/** A fault in one line of a spec. */
export type RuleFault = {
  specId: string;
  lineId: string;
  message: string;
  /** The variable that has no value, when that is the reason. */
  variable?: string | undefined;
};

/** Thrown for rules that cannot be compiled; lists all faults. */
export class RuleCompileError extends Error {
  readonly faults: readonly RuleFault[];
  constructor(faults: readonly RuleFault[]) {
    super(
      faults
        .map(({ message }) => message)
        .slice(0, 3)
        .join('; '),
    );
    this.name = 'RuleCompileError';
    this.faults = faults;
  }
}
