import type { CheckedCommand, CommandRule, CommandTemplate } from '#db/schemas/network/mop-template.ts';

/** The result of one rule: the rule with its variables filled in, and whether it holds (contract/lifecycle#7). */
export type RuleResult = CommandRule & {
  result: boolean;
  /** Why it could not be applied; it does not hold then. */
  error?: string;
};

/** The result of one command on one device (contract/lifecycle#7). */
export type CommandEntry = {
  /** The command as written in the template. */
  raw: string;
  /** The command as sent to the device. */
  evaluated: string;
  /** True: every rule must hold; false: one is enough. */
  all_pass_flag: boolean;
  device: string;
  /** The response of the device; empty without one. */
  response: string;
  result: boolean;
  /** The variables used in the command and its rules. */
  parameters: Record<string, unknown>;
  rules: RuleResult[];
  /** Why the response is missing or incomplete; the rules are not applied then. */
  error?: string;
};

/** The result of a command template; both spellings of the list have the same content (contract/lifecycle#7). */
export type RunResult = {
  /** True: every command must pass; false: one is enough. */
  all_pass_flag: boolean;
  result: boolean;
  name: string;
  commands_results: CommandEntry[];
  command_results: CommandEntry[];
};

/** The settings of a command and its template that determine whether the command passes. */
export type CommandCheck = Pick<CheckedCommand, 'passRule'> & Pick<CommandTemplate, 'ignoreWarnings'>;

/** Returns whether all, or at least one, of the results are true; true for an empty list. */
export const allOrAny = (all: boolean, verdicts: readonly boolean[]): boolean =>
  verdicts.length === 0 || (all ? verdicts.every(Boolean) : verdicts.some(Boolean));

/** Returns whether all must pass, which is the default of `passRule`. */
export const allMust = (passRule: boolean | undefined): boolean => passRule ?? true;

/** Returns the result of a run with these entries. */
export function runResult(
  template: Pick<CommandTemplate, 'name' | 'passRule'>,
  entries: CommandEntry[],
): RunResult {
  const all = allMust(template.passRule);
  return {
    all_pass_flag: all,
    result: allOrAny(
      all,
      entries.map(({ result }) => result),
    ),
    name: template.name,
    commands_results: entries,
    command_results: entries,
  };
}
