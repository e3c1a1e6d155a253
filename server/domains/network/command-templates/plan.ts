import type { CheckedCommand, CommandRule, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { commandIssues } from '../gateway/command-rules.ts';
import { allMust, type CommandCheck, type CommandEntry } from './results.ts';
import { applyRules, commandPasses } from './rules/evaluate.ts';
import { filled, scopesOf, usedBy, type Values } from './variables.ts';

/** Maximum number of commands that a run sends to one device. */
export const MOST_COMMANDS = 1000;

/** A command as it is sent, with the rules for its response. */
export type PlannedCommand = {
  raw: string;
  evaluated: string;
  values: Values;
  parameters: Record<string, unknown>;
  rules: readonly CommandRule[];
  checked: CommandCheck;
  /** Why it is not sent. */
  fault?: string;
};

/** The response of a device to a command. */
export type Answer = {
  output: string;
  /** False: the device rejected the command. */
  taken: boolean;
  /** Why the response is missing or incomplete. */
  error?: string;
};

/**
 * Returns the commands of a template with their variables filled in, in order; a command that uses a list is repeated
 * for each element. A command that cannot be sent is included with the reason.
 */
export function planned(
  { commands = [], ignoreWarnings }: Pick<CommandTemplate, 'commands' | 'ignoreWarnings'>,
  values: Values,
): PlannedCommand[] {
  return commands.flatMap((command) => plannedCommand(command, ignoreWarnings, values));
}

function plannedCommand(
  { command, passRule, rules = [] }: CheckedCommand,
  ignoreWarnings: boolean | null | undefined,
  values: Values,
): PlannedCommand[] {
  const texts = [command, ...rules.flatMap(({ rule, ruleB = '' }) => [rule, ruleB])];
  const checked = { passRule, ignoreWarnings };
  return scopesOf(command, values, MOST_COMMANDS).map((scope) => {
    const { text, fault } = filled(command, scope);
    const why = fault ?? sendingFault(text);
    const parameters = usedBy(texts, scope);
    return {
      raw: command,
      evaluated: text,
      values: scope,
      parameters,
      rules,
      checked,
      ...(why !== undefined && { fault: `The command was not sent: ${why}` }),
    };
  });
}

/** Returns why no kind of device may be sent this text, or undefined. */
const sendingFault = (text: string): string | undefined => commandIssues([text], [], false)[0]?.message;

/** Returns the result of a command on a device. */
export function entryOf(
  { raw, evaluated, values, parameters, rules, checked }: PlannedCommand,
  device: string,
  { output, taken, error }: Answer,
): CommandEntry {
  const applied = error === undefined ? applyRules(rules, output, values) : unapplied(rules);
  return {
    raw,
    evaluated,
    all_pass_flag: allMust(checked.passRule),
    device,
    response: output,
    // A command without rules passes if the device accepts it.
    result: error === undefined && (rules.length === 0 ? taken : commandPasses(checked, applied)),
    parameters,
    rules: applied,
    ...(error !== undefined && { error }),
  };
}

const unapplied = (rules: readonly CommandRule[]) =>
  rules.map((rule) => ({ ...rule, severity: rule.severity ?? ('error' as const), result: false }));
