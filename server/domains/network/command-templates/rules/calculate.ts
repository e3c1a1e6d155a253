import type { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { type Answer, entryOf, type PlannedCommand } from '../plan.ts';
import type { CommandEntry } from '../results.ts';
import { compareRuns } from './analytic.ts';
import { analyticIssues, commandIssues } from './rules.ts';

/** A template whose rules are checked before it is stored, and its path in the request. */
export type RulesCheck =
  | { kind: 'mopCommandTemplate'; template: CommandTemplate; path: Issue['path'] }
  | { kind: 'mopAnalyticTemplate'; template: AnalyticTemplate; path: Issue['path'] };

/** The responses of one device to commands, in order. */
export type DeviceAnswers = {
  device: string;
  answers: readonly { command: PlannedCommand; answer: Answer }[];
};

/** The arguments of `compareRuns`. */
export type RunComparison = Parameters<typeof compareRuns>;
export type ComparedRuns = ReturnType<typeof compareRuns>;

/** Returns the issues of the rules of a template. */
export const ruleIssues = (check: RulesCheck): Issue[] =>
  check.kind === 'mopCommandTemplate'
    ? commandIssues(check.template, check.path)
    : analyticIssues(check.template, check.path);

/** Applies the rules of commands to a device's responses. */
export const entriesOf = ({ device, answers }: DeviceAnswers): CommandEntry[] =>
  answers.map(({ command, answer }) => entryOf(command, device, answer));

/** Returns the comparison of two runs; it is the function that a thread calls. */
export const comparedRuns = (comparison: RunComparison): ComparedRuns => compareRuns(...comparison);
