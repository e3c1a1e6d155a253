import type { Driver } from '../driver.ts';
import { clockless, type Prompt } from './prompt.ts';

/** The device's reply: the lines between a command and the next prompt. */
export type Reply = {
  output: string;
  /** Lines before the echo, which belong to the previous command. */
  late: string[];
  /** Whether the device echoed the command. */
  echoed: boolean;
  /** The line with which the device rejected the command, or null. */
  rejection: string | null;
};

/** Number of lines at each end that are searched for an error; in between, an error line is likely to be log content. */
const ENDS = 6;

/**
 * Returns the reply in the lines received after a command, without its echo, the lines that belong to the prompt, and
 * blank lines at both ends. An echo is not required.
 *
 * @param lines the first one begins with the prompt at which the command was typed
 * @param typed that prompt, as it was shown
 * @param command as it was sent
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
  const end = endOfOutput(driver, prompt, rest);
  let start = 0;
  while (start < end && (isBlank(rest[start]) || driver.isPreamble(rest[start] ?? ''))) start += 1;
  const kept = rest.slice(start, end);
  const looked = kept.length <= 2 * ENDS ? kept : [...kept.slice(0, ENDS), ...kept.slice(-ENDS)];
  const rejection = looked.find((line) => driver.isFailure(line))?.trim() ?? null;
  return { output: kept.join('\n'), late, echoed, rejection };
}

/** Returns the number of lines before those that belong to the next prompt; each line above a prompt occurs once. */
function endOfOutput(driver: Driver, { above }: Prompt, lines: readonly string[]): number {
  let left = above.length;
  for (let end = lines.length; end > 0; end -= 1) {
    const line = lines[end - 1] ?? '';
    if (isBlank(line) || driver.isAbove(line)) continue;
    const at = above.slice(0, left).lastIndexOf(clockless(line.trim()));
    if (at < 0) return end;
    left = at;
  }
  return 0;
}

const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';

type ReplyStart = {
  /** The index of the first line of the reply, and the part of the preceding line that belongs to it. */
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
  // The previous reply continued after its prompt had been accepted, so the echo is further down.
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

/** Returns the text after the prompt; the whole line if it does not begin with the prompt. */
function unprompted(line: string, typed: string): string {
  if (line.startsWith(typed)) return line.slice(typed.length);
  const bare = typed.trimEnd();
  return bare !== '' && line.startsWith(bare) ? line.slice(bare.length) : line;
}

/** Returns the number of lines of the echo; 0: none. Devices wrap long commands, change blanks or complete words. */
function echoOver(lines: readonly string[], first: string, command: string): number {
  const wanted = squeezed(command);
  let seen = '';
  for (let index = 0; index < Math.min(lines.length, 40); index++) {
    seen += squeezed(index === 0 ? first : (lines[index] ?? ''));
    if (seen === wanted || (index === 0 && (completes(first, command) || isScrolled(first, command))))
      return index + 1;
    if (seen === '' || !wanted.startsWith(seen)) return 0;
  }
  return 0;
}

const squeezed = (text: string) => text.replace(/\s+/g, '');

/** Returns whether the line is the end of the command: devices scroll one that is too long, and mark that by `$`. */
const isScrolled = (line: string, command: string) =>
  line.length > 8 && line.startsWith('$') && command.trimEnd().endsWith(line.slice(1).trimEnd());

/** Returns whether the line is the command with its words completed by the device. */
function completes(line: string, command: string): boolean {
  const words = line.trim().split(/\s+/);
  const typed = command.trim().split(/\s+/);
  return (
    words.length === typed.length &&
    typed.every((word, index) => words[index]?.toLowerCase().startsWith(word.toLowerCase()) === true)
  );
}

/** Skips repeated echoes, which devices that redraw their command line may leave. */
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

/**
 * Returns whether a line is the prompt followed by the command.
 *
 * @param line as it was received
 * @param command as it was sent
 */
export function isPromptWith(prompt: Prompt, line: string, command: string): boolean {
  const text = line.trimEnd();
  if (!text.endsWith(command.trim())) return false;
  const before = text.slice(0, text.length - command.trim().length);
  return before.trim() !== '' && prompt.is(before.trimEnd());
}
