import { withoutSecretsOf } from '#server/domains/network/index.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';
import { dialectOf } from '../parsing/dialect.ts';
import { type BlockPlan, behindWords, planOf } from '../parsing/plan.ts';

/** Maximum number of lines per push. */
export const MOST_LINES = 10_000;

/**
 * Returns the configuration from a device's output without the lines that change with each output, such as timestamps, so
 * that the same configuration is always the same text (contract/lifecycle#4.3). It ends with a newline, unless it is empty.
 */
export function configIn(output: string, noise: readonly string[] = []): string {
  const patterns = noise.map((one) => compilePattern(`^(?:${one})\\s*$`));
  const lines = output
    .replaceAll('\u0000', '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.length > 300 || !patterns.some((pattern) => pattern.test(line)));
  const text = lines.join('\n').replace(/^\n+/, '').trimEnd();
  return text === '' ? '' : `${text.toWellFormed()}\n`;
}

/**
 * Returns the lines of a configuration to send to a device: without empty lines, and without trailing lines that leave its
 * mode.
 */
export function linesOf(config: string, { leave = [] }: Configuring): string[] {
  const lines = config
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '' && line.trim() !== '!');
  while (leave.includes(lines.at(-1) ?? '')) lines.pop();
  return lines;
}

/**
 * Returns an issue for each line that cannot be sent alone: a banner of several lines consumes the lines after it, and no
 * prompt follows.
 *
 * @param ostype the device's platform, which knows the texts of several lines; of an unknown one, those of IOS are assumed
 * @param at path of the configuration in the request
 */
export function unsendableLineIssues(
  lines: readonly string[],
  ostype: string,
  at: (string | number)[],
): Issue[] {
  const dialect = dialectOf(ostype) ?? dialectOf('cisco-ios');
  const blocks = dialect ? planOf(dialect).blocks : [];
  return lines.flatMap((line, index) => {
    if (!blocks.some((block) => consumesMore(line, block))) return [];
    const message = `line ${index + 1}: a banner of several lines cannot be entered line by line`;
    return [{ path: at, message, code: 'several_lines' }];
  });
}

/** Returns whether a line opens a text that a device reads up to its end, without a prompt for each line. */
function consumesMore(line: string, { words, ends }: BlockPlan): boolean {
  const from = line.length - line.trimStart().length;
  const rest = behindWords(words, line, from, line.length);
  if (rest === -1 || ends === 'hex' || ends === 'brace') return false;
  if (ends !== 'delimiter') return 'head' in ends || rest === line.length;
  const mark = line.startsWith('^', rest) ? line.slice(rest, rest + 2) : line.slice(rest, rest + 1);
  return mark !== '' && line.indexOf(mark, rest + mark.length) === -1;
}

/** Returns `1 line`, `2 lines`. */
export const linesCounted = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;

/** The outcome of one line (contract/lifecycle#4.1). */
export type PushedLine = {
  line: string;
  /** NOT_SENT: an earlier line was rejected, or nothing was to be sent. */
  status: 'SUCCESS' | 'FAILED' | 'INCOMPLETE' | 'NOT_SENT';
  /** The device's response. */
  message?: string;
};

const STATUS = {
  success: 'SUCCESS',
  failed: 'FAILED',
  incomplete: 'INCOMPLETE',
  skipped: 'NOT_SENT',
} as const;

/** Returns the outcomes of the lines from the command results; the first `before` commands enter the configuration mode. */
export const pushedLines = (
  lines: readonly string[],
  heard: readonly CommandResult[],
  before: number,
): PushedLine[] =>
  lines.map((line, index) => {
    const one = heard[index + before];
    const said = withoutSecretsOf(line, one?.failed_when ?? one?.output ?? '');
    return {
      line,
      status: one ? STATUS[one.status] : 'NOT_SENT',
      ...(said && { message: said.slice(0, 2000) }),
    };
  });
