import type { Driver } from '../driver.ts';
import type { Prompt } from './prompt.ts';

/** The lines between a command and the prompt after it, as the device's answer. */
export type Reply = {
  output: string;
  /** Lines that came before the echo: they belong to the command before. */
  late: string[];
  /** Whether the device wrote the command back. */
  echoed: boolean;
  /** The line by which it refused the command; null: it did not. */
  refusal: string | null;
};

/** Lines at each end in which a refusal is looked for: elsewhere it is a log that tells of one. */
const ENDS = 6;

/**
 * Make an answer of the lines that came after a command: its echo, the lines that belong to the prompt, and blank lines at
 * both ends go. No echo is asked for.
 *
 * @param lines the first one begins with the prompt at which the command was typed
 * @param typed that prompt, as it stood there
 */
export function replyOf(
  driver: Driver,
  prompt: Prompt,
  lines: readonly string[],
  typed: string,
  command: string,
): Reply {
  const { from, late, echoed } = echoIn(driver, prompt, lines, typed, command);
  const rest = lines.slice(from.index);
  if (from.first !== null) rest.unshift(from.first);
  const isAbove = (line: string) => driver.isAbove(line) || prompt.above.has(line.trim());
  let end = rest.length;
  while (end > 0 && (isBlank(rest[end - 1]) || isAbove(rest[end - 1] ?? ''))) end -= 1;
  let start = 0;
  while (start < end && (isBlank(rest[start]) || driver.isPreamble(rest[start] ?? ''))) start += 1;
  const kept = rest.slice(start, end);
  const looked = kept.length <= 2 * ENDS ? kept : [...kept.slice(0, ENDS), ...kept.slice(-ENDS)];
  const refusal = looked.find((line) => driver.isFailure(line))?.trim() ?? null;
  return { output: kept.join('\n'), late, echoed, refusal };
}

const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';

type ReplyStart = {
  /** Where the answer begins, and what of the line before it belongs to it. */
  from: { index: number; first: string | null };
  late: string[];
  echoed: boolean;
};

function echoIn(
  driver: Driver,
  prompt: Prompt,
  lines: readonly string[],
  typed: string,
  command: string,
): ReplyStart {
  const first = lines[0] ?? '';
  const after = unprompted(first, typed);
  const long = echoOver(lines, after, command);
  if (long > 0)
    return {
      from: { index: pastRepeats(driver, prompt, lines, long, command), first: null },
      late: [],
      echoed: true,
    };
  // The answer to the command before went on after its prompt was believed: the echo stands further down.
  const at = lines.findIndex((line, index) => index > 0 && isPromptWith(prompt, line, command));
  if (at > 0) {
    const late = [after, ...lines.slice(1, at)];
    return { from: { index: at + 1, first: null }, late, echoed: true };
  }
  const own = after !== null && after.trim() !== '' ? after : null;
  return {
    from: { index: first === '' && after === null ? 0 : 1, first: after === null ? first : own },
    late: [],
    echoed: false,
  };
}

/** What follows the prompt at the begin of a line; null when it does not begin so. */
function unprompted(line: string, typed: string): string {
  if (line.startsWith(typed)) return line.slice(typed.length);
  const bare = typed.trimEnd();
  return bare !== '' && line.startsWith(bare) ? line.slice(bare.length) : line;
}

/** How many lines the echo takes: devices break a long one, change the blanks in it, or complete its words. 0: none. */
function echoOver(lines: readonly string[], first: string, command: string): number {
  const wanted = squeezed(command);
  let seen = '';
  for (let index = 0; index < Math.min(lines.length, 40); index++) {
    seen += squeezed(index === 0 ? first : (lines[index] ?? ''));
    if (seen === wanted || (index === 0 && completes(first, command))) return index + 1;
    if (seen === '' || !wanted.startsWith(seen)) return 0;
  }
  return 0;
}

const squeezed = (text: string) => text.replace(/\s+/g, '');

/** Whether the words are those of the command, completed by the device. */
function completes(line: string, command: string): boolean {
  const words = line.trim().split(/\s+/);
  const typed = command.trim().split(/\s+/);
  return (
    words.length === typed.length &&
    typed.every((word, index) => words[index]?.toLowerCase().startsWith(word.toLowerCase()) === true)
  );
}

/** Devices that paint their command line anew may leave it there more than once. */
function pastRepeats(
  driver: Driver,
  prompt: Prompt,
  lines: readonly string[],
  from: number,
  command: string,
) {
  let at = from;
  while (driver.repaints && at < lines.length && isPromptWith(prompt, lines[at] ?? '', command)) at += 1;
  return at;
}

/** Whether a line is the prompt with the command typed at it. */
export function isPromptWith(prompt: Prompt, line: string, command: string): boolean {
  const text = line.trimEnd();
  if (!text.endsWith(command.trim())) return false;
  const before = text.slice(0, text.length - command.trim().length);
  return before.trim() !== '' && prompt.is(before.trimEnd());
}
