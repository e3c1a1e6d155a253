import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';
import type { CommandResult } from '#server/southbound/cli/ports.ts';

/** Lines that one push may have. */
export const MOST_LINES = 10_000;

/**
 * The configuration in what a device printed: without the lines that say when it was printed, so that the same
 * configuration is the same text each time (contract/lifecycle#4.3). It ends with a line end, unless it is empty.
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

/** The lines of a configuration that are said to a device: not the empty ones, nor those that lead out of its mode at the end. */
export function linesOf(config: string, { leave = [] }: Configuring): string[] {
  const lines = config
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '' && line.trim() !== '!');
  while (leave.includes(lines.at(-1) ?? '')) lines.pop();
  return lines;
}

/**
 * Lines that cannot be said one by one: a banner of several lines takes what follows for its text, and no prompt comes.
 *
 * @param at where the configuration stands in the request
 */
export function unsendableLineIssues(lines: readonly string[], at: (string | number)[]): Issue[] {
  return lines.flatMap((line, index) => {
    const [, text = ''] = /^\s*banner \S+ (.+)$/.exec(line) ?? [];
    const mark = text.startsWith('^') ? text.slice(0, 2) : text.slice(0, 1);
    if (mark === '' || text.indexOf(mark, mark.length) > 0) return [];
    const message = `line ${index + 1}: a banner of several lines cannot be entered line by line`;
    return [{ path: at, message, code: 'several_lines' }];
  });
}

/** `1 line`, `2 lines`. */
export const linesCounted = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;

/** What became of one line (contract/lifecycle#4.1). */
export type PushedLine = {
  line: string;
  /** NOT_SENT: an earlier line was refused, or nothing was to be sent. */
  status: 'SUCCESS' | 'FAILED' | 'INCOMPLETE' | 'NOT_SENT';
  /** What the device said to it. */
  message?: string;
};

const STATUS = {
  success: 'SUCCESS',
  failed: 'FAILED',
  incomplete: 'INCOMPLETE',
  skipped: 'NOT_SENT',
} as const;

/** What became of the lines, by what was heard of as many commands: those before them led into the mode. */
export const pushedLines = (
  lines: readonly string[],
  heard: readonly CommandResult[],
  before: number,
): PushedLine[] =>
  lines.map((line, index) => {
    const one = heard[index + before];
    const said = one?.failed_when ?? one?.output;
    return {
      line,
      status: one ? STATUS[one.status] : 'NOT_SENT',
      ...(said && { message: said.slice(0, 2000) }),
    };
  });
