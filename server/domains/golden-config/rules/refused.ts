/** What is wrong with one line of a spec. */
export type RuleFault = {
  specId: string;
  lineId: string;
  message: string;
  /** The variable that has no value, when that is the reason. */
  variable?: string | undefined;
};

/** Rules that cannot be compiled, with everything that is wrong. */
export class RulesRefused extends Error {
  readonly faults: readonly RuleFault[];
  constructor(faults: readonly RuleFault[]) {
    super(
      faults
        .map(({ message }) => message)
        .slice(0, 3)
        .join('; '),
    );
    this.name = 'RulesRefused';
    this.faults = faults;
  }
}
