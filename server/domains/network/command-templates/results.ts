import type { CheckedCommand, CommandRule, CommandTemplate } from '#db/schemas/network/mop-template.ts';

/** What became of one rule: the rule with its variables filled in, and whether it held (contract/lifecycle#7). */
export type RuleResult = CommandRule & {
  result: boolean;
  /** Why it could not be applied; it does not hold then. */
  error?: string;
};

/** What became of one command on one device (contract/lifecycle#7). */
export type CommandEntry = {
  /** The command as the template has it. */
  raw: string;
  /** The command as the device was sent it. */
  evaluated: string;
  /** True: every rule must hold; false: one is enough. */
  all_pass_flag: boolean;
  device: string;
  /** What the device answered; empty when it did not. */
  response: string;
  result: boolean;
  /** The variables that the command and its rules use. */
  parameters: Record<string, unknown>;
  rules: RuleResult[];
  /** Why there is no answer, or only a part of one: the rules were not applied then. */
  error?: string;
};

/** What a run of a command template answers; both spellings of the list hold the same (contract/lifecycle#7). */
export type RunResult = {
  /** True: every command must pass; false: one is enough. */
  all_pass_flag: boolean;
  result: boolean;
  name: string;
  commands_results: CommandEntry[];
  command_results: CommandEntry[];
};

/** The rules of a command are applied by its own settings and one of its template. */
export type CommandCheck = Pick<CheckedCommand, 'passRule'> & Pick<CommandTemplate, 'ignoreWarnings'>;

/** Whether enough of several verdicts are good: all of them, or one; of none, nothing is asked. */
export const enough = (all: boolean, verdicts: readonly boolean[]): boolean =>
  verdicts.length === 0 || (all ? verdicts.every(Boolean) : verdicts.some(Boolean));

/** A setting `passRule`: all must pass unless it says that one is enough. */
export const allMust = (passRule: boolean | undefined): boolean => passRule ?? true;

/** The answer of a run whose entries are these. */
export function runResult(
  template: Pick<CommandTemplate, 'name' | 'passRule'>,
  entries: CommandEntry[],
): RunResult {
  const all = allMust(template.passRule);
  return {
    all_pass_flag: all,
    result: enough(
      all,
      entries.map(({ result }) => result),
    ),
    name: template.name,
    commands_results: entries,
    command_results: entries,
  };
}
