import { RE2JS } from 're2js';
import { CommandSyntax, UNKNOWN_SYNTAX } from '#server/platforms/record/command-syntax.ts';
import { type Configuring, type DriverData, HOST, withHost } from '#server/platforms/record/driver-data.ts';

/** Maximum length in characters of a line that patterns are applied to. */
export const LOOKED_AT = 200;

/** Sentences with which devices of any kind deny a command to an account, such as one that may only read. */
const DENIED = [
  '(?:command )?authorization (?:denied|error|failed)',
  '(?:access|permission) denied',
  '(?:this )?(?:command|operation|user)(?: is)? not (?:allowed|authorized|permitted)',
  'cannot execute command',
  'insufficient (?:permissions?|privileges?|rights)',
  'not authorized',
  'not enough permissions',
  'user doesn.t have sufficient (?:permission|privilege|right)s?',
  'you (?:are not (?:allowed|authorized|permitted)|do not have (?:sufficient |the )?(?:permission|privilege|right)s?)',
];

/** What follows in such a sentence; counters of the same name have a number there. */
const AFTER_DENIED = '(?:\\s*$|\\s*[.;,!(]|:\\s*(?:[a-z]|$)| (?:by|for|from|on|return|to)\\b)';

const DENIALS = [`[%!*]{0,3} ?(?i:(?:error: ?)?(?:${DENIED.join('|')})${AFTER_DENIED})`];

/**
 * What begins like the rejection of a command and is none: a log message that the terminal shows, and a warning, with which a
 * device accepts a line.
 */
const INFORMS =
  /^\s*%{1,2} ?(?:[A-Z][A-Z\d_]{0,40}(?:-[A-Z\d_]{1,40}){0,3}-[0-7]-[A-Z\d_]{1,60}:|(?:WARNING|[Ww]arning|NOTE|[Nn]ote)\b)/;

/** Returns whether a line matches a pattern. */
export type Finds = (line: string) => boolean;

/** A compiled driver. */
export type Driver = {
  device_type: string;
  description: string;
  ostype: string;
  /** Sources of the prompt patterns, with `{host}` as placeholder. */
  promptSources: readonly string[];
  isPrompt: Finds;
  isAbove: Finds;
  isPreamble: Finds;
  isUnprivileged: Finds;
  isFailure: Finds;
  landing: readonly KnownAnswer[];
  challenges: readonly KnownAnswer[];
  pagers: readonly KnownAnswer[];
  prepare: readonly { send: string; answers: readonly KnownAnswer[] }[];
  enable: string | null;
  enter: string;
  repaints: boolean;
  loginSuffix: string;
  rows: number;
  abbreviates: boolean;
  config: Configuring | null;
  syntax: CommandSyntax;
  ident: Finds;
  words: Finds;
  identIsShared: boolean;
  detectOrder: number;
  isByPrompt: boolean;
};
export type KnownAnswer = { finds: Finds; send: string };

/** Thrown for an invalid driver; the message names the driver and the field. */
export class InvalidDriver extends Error {}

/**
 * Compiles drivers from data; later ones replace earlier ones of the same name.
 *
 * @returns the drivers by device type
 * @throws InvalidDriver for one that extends an unknown driver, or has no prompts
 */
export function compileDrivers(sources: readonly DriverData[]): ReadonlyMap<string, Driver> {
  const byName = new Map(sources.map((one) => [one.device_type, one]));
  return new Map([...byName.values()].map((one) => [one.device_type, compile(whole(one, byName))]));
}

function whole(data: DriverData, byName: ReadonlyMap<string, DriverData>, depth = 0): DriverData {
  if (data.extends === undefined) return data;
  const base = byName.get(data.extends);
  if (!base || depth > 8)
    throw new InvalidDriver(`driver ${data.device_type} extends ${data.extends}, which does not exist`);
  return { ...whole(base, byName, depth + 1), ...data };
}

function compile(data: DriverData): Driver {
  if (!data.prompts) throw new InvalidDriver(`driver ${data.device_type} has no prompts`);
  const rejects = startsAny([...(data.failures ?? []), ...DENIALS]);
  return {
    device_type: data.device_type,
    description: data.description ?? data.device_type,
    ostype: data.ostype ?? '',
    promptSources: data.prompts,
    isPrompt: matchesAny(data.prompts),
    isAbove: matchesAny(data.above),
    isPreamble: matchesAny(data.preamble),
    isUnprivileged: matchesAny([data.unprivileged ?? '.*>']),
    isFailure: (line) => rejects(line) && !INFORMS.test(line),
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
    enter: data.enter ?? '\n',
    repaints: data.repaints ?? false,
    loginSuffix: data.loginSuffix ?? '',
    rows: data.rows ?? 1000,
    abbreviates: data.abbreviates ?? true,
    config: data.config ?? null,
    syntax: CommandSyntax.parse({ ...UNKNOWN_SYNTAX, ...data.syntax }),
    ident: findsAny(data.detect?.ident),
    words: findsAny(data.detect?.words),
    identIsShared: data.detect?.identIsShared ?? false,
    detectOrder: data.detect?.order ?? 0,
    isByPrompt: data.detect?.byPrompt ?? false,
  };
}

/**
 * Returns a function that checks whether a pattern matches the whole line; one trailing space is allowed.
 *
 * @param sources regular expressions for whole lines; one that matches is sufficient
 */
export const matchesAny = (sources: readonly string[] = []): Finds =>
  compiled(sources, (one) => `^(?:${one}) ?$`);
const startsAny = (sources: readonly string[] = []): Finds => compiled(sources, (one) => `^\\s*(?:${one})`);
const findsAny = (sources: readonly string[] = []): Finds => compiled(sources, (one) => `(?:${one})`);

/** Compiles the patterns on first use, because most drivers of a process are never used. */
function compiled(sources: readonly string[], around: (source: string) => string): Finds {
  if (sources.length === 0) return () => false;
  let expression: RE2JS | undefined;
  return (line) => {
    if (line.length > LOOKED_AT) return false;
    expression ??= RE2JS.compile(sources.map((one) => around(withHost(one))).join('|'));
    return expression.matcher(line).find();
  };
}

/**
 * Returns a matcher of the driver's prompt patterns with `host` in place of `{host}`.
 *
 * @param host a regular expression
 */
export const promptsOf = (driver: Driver, host: string): Finds =>
  matchesAny(driver.promptSources.map((one) => withHost(one, host)));

/** Returns the device's name in a prompt; null when no pattern with `{host}` matches. */
export function hostIn(driver: Driver, prompt: string): string | null {
  for (const source of driver.promptSources) {
    if (!source.includes('{host}')) continue;
    const first = source.replace('{host}', () => `(?P<name>${HOST})`);
    const found = RE2JS.compile(`^(?:${withHost(first)}) ?$`).matcher(prompt);
    if (found.find()) return found.group('name');
  }
  return null;
}
