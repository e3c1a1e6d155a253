import { RE2JS } from 're2js';
import { z } from 'zod';
import { CommandSyntax } from './command-syntax.ts';

/** What `{host}` stands for in a pattern: the name of a device in its prompt. */
export const HOST = '[\\w.\\-@/:+]{1,64}';

/** Returns the pattern with an expression for the device's name in place of `{host}`. */
export const withHost = (pattern: string, host = HOST): string => pattern.replaceAll('{host}', () => host);

const pattern = z.string().max(300).refine(compiles, 'is no expression of RE2');
const command = z.string().max(200);

/** A line that is answered with a text: `when` is looked for in the last line. */
const Answer = z.strictObject({ when: pattern, send: z.string().max(100) });

const commands = z.array(command).max(10);

/**
 * How configurations of a device type are read and changed. Nothing here writes to the startup configuration. Where only
 * `show` is given, changes of several users cannot be told apart there, or how to change lines is not known well enough.
 */
const Configuring = z.strictObject({
  /** Prints the running configuration. */
  show: command,
  /** Whole lines of it that say when, not what: they change with each reading, or when nothing changed. */
  noise: z.array(pattern).optional(),
  /** Into the mode that takes lines; absent, with all that follows: lines are not taken. */
  enter: commands.optional(),
  /** What makes the lines count, where entering them does not. */
  apply: commands.optional(),
  /** What tries lines without letting them count; then they are given up. */
  check: commands.optional(),
  /** Gives up what does not count yet, and goes back to the first prompt. */
  abandon: commands.optional(),
  /** Back to the first prompt. */
  leave: commands.optional(),
});
export type Configuring = z.infer<typeof Configuring>;

/**
 * A kind of device as data: what its prompt looks like, what is said to it first, how it refuses. Patterns are RE2 and
 * match a whole line; `{host}` stands for the device's name.
 */
export const DriverData = z.strictObject({
  device_type: z.string().regex(/^[a-z0-9_]{1,64}$/, 'must be of a-z 0-9 _'),
  /** Driver whose members count where this one has none. */
  extends: z.string().optional(),
  description: z.string().max(200).optional(),
  ostype: z.string().max(64).optional(),
  prompts: z.array(pattern).min(1).optional(),
  /** Lines above the prompt that belong to it. */
  above: z.array(pattern).optional(),
  /** First lines of every output that belong to none. */
  preamble: z.array(pattern).optional(),
  /** Prompts of another shell that one lands in, and what leads out of it. */
  landing: z.array(Answer).optional(),
  enable: command.optional(),
  /** Prompt at which `enable` is of use. */
  unprivileged: pattern.optional(),
  /** Said after signing in; what is refused is passed over. */
  prepare: z
    .array(z.union([command, z.strictObject({ send: command, answers: z.array(Answer) })]))
    .optional(),
  bye: command.optional(),
  /** Begin of the lines by which the device refuses a command. */
  failures: z.array(pattern).optional(),
  /** Questions at signing in, beyond those that all devices are known for. */
  challenges: z.array(Answer).optional(),
  pagers: z.array(Answer).optional(),
  enter: z.enum(['\n', '\r', '\r\n']).optional(),
  /** The device writes its command line again while it is typed. */
  repaints: z.boolean().optional(),
  loginSuffix: z.string().max(32).optional(),
  rows: z.int().min(24).max(4000).optional(),
  abbreviates: z.boolean().optional(),
  config: Configuring.optional(),
  /** How a line is read; fields that are absent are those of unknown devices. */
  syntax: CommandSyntax.partial().optional(),
  /** By what the kind is recognised: words of the SSH greeting, and of what it says of itself. */
  detect: z
    .strictObject({
      ident: z.array(pattern).optional(),
      /** True: other device types greet like this one. */
      identIsShared: z.boolean().optional(),
      words: z.array(pattern).optional(),
      /** Device types of a higher number are looked for later, because others say their words as well; 0 when absent. */
      order: z.int().min(0).max(9).optional(),
      /** True: no other device type has a prompt like the first one. */
      byPrompt: z.boolean().optional(),
    })
    .optional(),
});
export type DriverData = z.infer<typeof DriverData>;

function compiles(source: string): boolean {
  try {
    RE2JS.compile(withHost(source));
    return true;
  } catch {
    return false;
  }
}
