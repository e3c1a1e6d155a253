import { RE2JS } from 're2js';
import { z } from 'zod';
import { CommandSyntax } from './command-syntax.ts';

/** Expression for `{host}` in a pattern: the name of a device in its prompt. */
export const HOST = '[\\w.\\-@/:+]{1,64}';

/** Returns the pattern with an expression for the device's name in place of `{host}`. */
export const withHost = (pattern: string, host = HOST): string => pattern.replaceAll('{host}', () => host);

const pattern = z.string().max(300).refine(compiles, 'is not an RE2 expression');
const command = z.string().max(200);

/** A question and its answer: `when` is matched against the last line. */
const Answer = z.strictObject({ when: pattern, send: z.string().max(100) });

const commands = z.array(command).max(10);

/**
 * How configurations of a device type are read and changed; never writes the startup configuration. A type with only
 * `show` cannot separate the changes of several users, or too little is known about changing its lines.
 */
const Configuring = z.strictObject({
  /** Prints the running configuration. */
  show: command,
  /** Patterns of whole output lines, such as timestamps, that change without a configuration change. */
  noise: z.array(pattern).optional(),
  /** Enters configuration mode; without it, configuration lines are not accepted. */
  enter: commands.optional(),
  /** Activates the lines, where entering them does not. */
  apply: commands.optional(),
  /** Validates the lines without activating them; they are discarded afterwards. */
  check: commands.optional(),
  /** Discards lines that are not active yet and returns to the first prompt. */
  abandon: commands.optional(),
  /** Returns to the first prompt. */
  leave: commands.optional(),
});
export type Configuring = z.infer<typeof Configuring>;

/**
 * A kind of device as data: its prompt, its preparing commands, its error messages. Patterns are RE2 and match a whole
 * line; `{host}` matches the device's name.
 */
export const DriverData = z.strictObject({
  device_type: z.string().regex(/^[a-z0-9_]{1,64}$/, 'must consist of a-z, 0-9 and _'),
  /** Driver that supplies the fields missing here. */
  extends: z.string().optional(),
  description: z.string().max(200).optional(),
  ostype: z.string().max(64).optional(),
  prompts: z.array(pattern).min(1).optional(),
  /** Lines above the prompt that belong to it. */
  above: z.array(pattern).optional(),
  /** Lines at the start of an output that are not part of it. */
  preamble: z.array(pattern).optional(),
  /** Prompts of another shell after login, and the command that leaves it. */
  landing: z.array(Answer).optional(),
  enable: command.optional(),
  /** Prompt at which `enable` is needed. */
  unprivileged: pattern.optional(),
  /** Commands after login; errors are ignored. */
  prepare: z
    .array(z.union([command, z.strictObject({ send: command, answers: z.array(Answer) })]))
    .optional(),
  /** Accepted and not used, in files that were written for it: a session ends by closing its connection. */
  bye: command.optional(),
  /** Patterns for the start of lines with which the device rejects a command. */
  failures: z.array(pattern).optional(),
  /** Questions at login, in addition to those known for all devices. */
  challenges: z.array(Answer).optional(),
  pagers: z.array(Answer).optional(),
  enter: z.enum(['\n', '\r', '\r\n']).optional(),
  /** The device redraws its command line while it is typed. */
  repaints: z.boolean().optional(),
  loginSuffix: z.string().max(32).optional(),
  rows: z.int().min(24).max(4000).optional(),
  abbreviates: z.boolean().optional(),
  config: Configuring.optional(),
  /** Syntax of a command line; missing fields are those of unknown devices. */
  syntax: CommandSyntax.partial().optional(),
  /** How the kind is detected: patterns for its SSH identification, and for its own description. */
  detect: z
    .strictObject({
      ident: z.array(pattern).optional(),
      /** True: other device types have the same SSH identification. */
      identIsShared: z.boolean().optional(),
      words: z.array(pattern).optional(),
      /** Device types with a higher number are checked later, because others contain their words too; 0 when absent. */
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
