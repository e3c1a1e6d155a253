import { RE2JS } from 're2js';
import { z } from 'zod';
import { CommandSyntax, UNKNOWN_SYNTAX } from './command-syntax.ts';

/** The name of a device in its prompt, as a part of patterns: `{host}`. */
const HOST = '[\\w.\\-@/:+]{1,64}';

/** Characters of a line that patterns look at. */
const LOOKED_AT = 200;

const pattern = z.string().max(300).refine(compiles, 'is no expression of RE2');
const command = z.string().max(200);

/** A line that is answered with a text: `when` is looked for in the last line. */
const Answer = z.strictObject({ when: pattern, send: z.string().max(100) });

const commands = z.array(command).max(10);

/** How configurations of a kind of device are read and changed (contract/engines#cli-drivers). */
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
    .strictObject({ ident: z.array(pattern).optional(), words: z.array(pattern).optional() })
    .optional(),
});
export type DriverData = z.infer<typeof DriverData>;

/** Finds a pattern in a line. */
export type Finds = (line: string) => boolean;

/** A driver ready for use. */
export type Driver = {
  device_type: string;
  description: string;
  ostype: string;
  /** Sources of the prompt patterns, `{host}` still in them. */
  promptSources: readonly string[];
  isPrompt: Finds;
  isAbove: Finds;
  isPreamble: Finds;
  isUnprivileged: Finds;
  isFailure: Finds;
  landing: readonly Answered[];
  challenges: readonly Answered[];
  pagers: readonly Answered[];
  prepare: readonly { send: string; answers: readonly Answered[] }[];
  enable: string | null;
  bye: string;
  enter: string;
  repaints: boolean;
  loginSuffix: string;
  rows: number;
  abbreviates: boolean;
  config: Configuring | null;
  syntax: CommandSyntax;
  ident: Finds;
  words: Finds;
};
export type Answered = { finds: Finds; send: string };

/** Drivers that cannot be used; the message says which member of which one. */
export class DriverRefused extends Error {}

/**
 * Make drivers of data; later ones replace earlier ones of the same name.
 *
 * @throws DriverRefused
 */
export function compileDrivers(sources: readonly DriverData[]): ReadonlyMap<string, Driver> {
  const byName = new Map(sources.map((one) => [one.device_type, one]));
  return new Map([...byName.values()].map((one) => [one.device_type, compile(whole(one, byName))]));
}

function whole(data: DriverData, byName: ReadonlyMap<string, DriverData>, depth = 0): DriverData {
  if (data.extends === undefined) return data;
  const base = byName.get(data.extends);
  if (!base || depth > 8)
    throw new DriverRefused(`driver ${data.device_type} extends ${data.extends}: no such driver`);
  return { ...whole(base, byName, depth + 1), ...data };
}

function compile(data: DriverData): Driver {
  if (!data.prompts) throw new DriverRefused(`driver ${data.device_type} has no prompts`);
  return {
    device_type: data.device_type,
    description: data.description ?? data.device_type,
    ostype: data.ostype ?? '',
    promptSources: data.prompts,
    isPrompt: matchesAny(data.prompts),
    isAbove: matchesAny(data.above),
    isPreamble: matchesAny(data.preamble),
    isUnprivileged: matchesAny([data.unprivileged ?? '.*>']),
    isFailure: startsAny(data.failures),
    landing: (data.landing ?? []).map(({ when, send }) => ({ finds: matchesAny([when]), send })),
    challenges: (data.challenges ?? []).map(({ when, send }) => ({ finds: findsAny([when]), send })),
    pagers: (data.pagers ?? []).map(({ when, send }) => ({ finds: matchesAny([when]), send })),
    prepare: (data.prepare ?? []).map((one) =>
      typeof one === 'string'
        ? { send: one, answers: [] }
        : {
            send: one.send,
            answers: one.answers.map(({ when, send }) => ({ finds: findsAny([when]), send })),
          },
    ),
    enable: data.enable ?? null,
    bye: data.bye ?? 'exit',
    enter: data.enter ?? '\n',
    repaints: data.repaints ?? false,
    loginSuffix: data.loginSuffix ?? '',
    rows: data.rows ?? 1000,
    abbreviates: data.abbreviates ?? true,
    config: data.config ?? null,
    syntax: CommandSyntax.parse({ ...UNKNOWN_SYNTAX, ...data.syntax }),
    ident: findsAny(data.detect?.ident),
    words: findsAny(data.detect?.words),
  };
}

/** Whether one of the patterns is the whole line; one space may follow it. */
export const matchesAny = (sources: readonly string[] = []): Finds =>
  made(sources, (one) => `^(?:${one}) ?$`);
const startsAny = (sources: readonly string[] = []): Finds => made(sources, (one) => `^\\s*(?:${one})`);
const findsAny = (sources: readonly string[] = []): Finds => made(sources, (one) => `(?:${one})`);

/** Compiled when it is first asked for: most drivers of a process are never used. */
function made(sources: readonly string[], around: (source: string) => string): Finds {
  if (sources.length === 0) return () => false;
  let expression: RE2JS | undefined;
  return (line) => {
    if (line.length > LOOKED_AT) return false;
    expression ??= RE2JS.compile(sources.map((one) => around(filled(one))).join('|'));
    return expression.matcher(line).find();
  };
}

const filled = (source: string, host = HOST) => source.replaceAll('{host}', () => host);

/**
 * The prompt patterns with a name put in for `{host}`: what completes commands in one session.
 *
 * @param host an expression
 */
export const promptsOf = (driver: Driver, host: string): Finds =>
  matchesAny(driver.promptSources.map((one) => filled(one, host)));

/** What stood for the device's name in a prompt; null when no pattern asks for one. */
export function hostIn(driver: Driver, prompt: string): string | null {
  for (const source of driver.promptSources) {
    if (!source.includes('{host}')) continue;
    const first = source.replace('{host}', () => `(?P<name>${HOST})`);
    const found = RE2JS.compile(`^(?:${filled(first)}) ?$`).matcher(prompt);
    if (found.find()) return found.group('name');
  }
  return null;
}

function compiles(source: string): boolean {
  try {
    RE2JS.compile(filled(source));
    return true;
  } catch {
    return false;
  }
}
