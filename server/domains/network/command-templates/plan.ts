import type { CheckedCommand, CommandRule, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { commandIssues } from '../gateway/command-rules.ts';
import { allMust, type CommandCheck, type CommandEntry } from './results.ts';
import { applyRules, passes } from './rules/evaluate.ts';
import { filled, scopesOf, usedBy, type Values } from './variables.ts';

/** Commands that a run sends to one device. */
export const MOST_COMMANDS = 1000;

/** A command as it is sent, with what its answer is held against. */
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

/** What a device did with a command. */
export type Answer = {
  output: string;
  /** False: the device refused the command. */
  taken: boolean;
  /** Why there is no answer, or only a part of one. */
  error?: string;
};

/**
 * The commands of a template with their variables filled in, in their order: one with a list once for each element. What
 * cannot be sent is planned too, and says why.
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

/** Why no device may be sent this text, whatever kind it is of. */
const sendingFault = (text: string): string | undefined => commandIssues([text], [], false)[0]?.message;

/** What a run tells of a command on a device. */
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
    // A command without rules passes when the device takes it.
    result: error === undefined && (rules.length === 0 ? taken : passes(checked, applied)),
    parameters,
    rules: applied,
    ...(error !== undefined && { error }),
  };
}

const unapplied = (rules: readonly CommandRule[]) =>
  rules.map((rule) => ({ ...rule, severity: rule.severity ?? ('error' as const), result: false }));
