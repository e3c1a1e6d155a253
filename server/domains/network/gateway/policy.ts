import type { CommandPolicy } from '#db/schemas/network/command-policy.ts';
import type { CommandSyntax } from '#server/platforms/record/command-syntax.ts';
import { type CommandWords, readCommandLine, shellWordFault } from './command-line.ts';
import { withoutSecrets } from './command-secrets.ts';

/** The properties of a kind of device that policies use. */
type PlatformSyntax = { device_type: string; abbreviates: boolean; syntax: CommandSyntax };

/** Kind of a device that is detected only after connecting: policies for every kind apply. */
const UNDETECTED = 'autodetect';

/** Returns the policies that apply to a caller's roles and a kind of device. */
export const policiesFor = (
  policies: readonly CommandPolicy[],
  { roles, deviceType }: { roles: readonly string[]; deviceType: string },
): CommandPolicy[] =>
  policies.filter(
    (policy) =>
      (!policy.roles?.length || policy.roles.some((role) => roles.includes(role))) &&
      (!policy.device_types?.length || deviceType === UNDETECTED || policy.device_types.includes(deviceType)),
  );

/**
 * Returns why a line may not be sent, or null. Every command that the device would execute is checked separately: a
 * denial by one policy outweighs any permission; if some policies have allow lists, one of them must allow the command.
 * After a pipe only filters are allowed; redirection and several commands in a line need a policy with `operators`.
 */
export function commandFault(
  policies: readonly CommandPolicy[],
  line: string,
  kind: PlatformSyntax,
): string | null {
  const applying = policies.filter(({ allow, deny }) => allow?.length || deny?.length);
  if (applying.length === 0) return null;
  const read = readCommandLine(line, kind.syntax);
  if (typeof read === 'string') return `the command cannot be checked: it ${read}`;
  const pipelines = read.pipelines.filter(([stage = []]) => !isComment(stage, kind.syntax));
  const check: CommandCheck = {
    kind,
    redirects: read.redirects,
    applying,
    listing: applying.filter(({ allow }) => allow?.length),
    permitted: [],
    isComplex: read.redirects || pipelines.length > 1,
  };
  for (const stages of pipelines) {
    for (const at of stages.keys()) {
      const fault = stageFault(check, stages, at);
      if (fault !== null) return fault;
    }
  }
  return check.isComplex ? operatorFault(check) : null;
}

/** A line that is being checked, up to some stage. */
type CommandCheck = {
  kind: PlatformSyntax;
  /** Whether the line redirects input or output. */
  redirects: boolean;
  /** The policies that allow or deny anything, and those of them that allow. */
  applying: readonly CommandPolicy[];
  listing: readonly CommandPolicy[];
  /** For each stage that an allow list must contain, the policies whose lists do. */
  permitted: CommandPolicy[][];
  /** Whether the line needs a policy with `operators`. */
  isComplex: boolean;
};

/**
 * Returns why a stage of a pipeline may not run, or null.
 *
 * @param at its index: the first one is a command, what follows a pipe is a filter or another command
 */
function stageFault(check: CommandCheck, stages: readonly CommandWords[], at: number): string | null {
  const { kind, applying, listing } = check;
  const stage = stages[at] ?? [];
  const isPiped = at > 0;
  // The first stage is compared with and without what follows it; a rule may name the pipe too.
  const whole = stages.flatMap((one, index) => (index === 0 ? one : ['|', ...one]));
  const fault =
    escapeFault(stage, kind.syntax) ??
    denialOf(applying, stage, isPiped ? [['|', ...stage]] : [whole], kind, check.redirects);
  if (fault !== null) return fault;
  const isFilter = isPiped && kind.syntax.pipe === 'filter';
  const writes = isFilter ? !isKnownFilter(stage, kind) : isPiped && isSink(stage, kind.syntax);
  if (writes && !applying.some(({ operators }) => operators)) return sinkFault(stage, kind);
  if (writes || (isPiped && !isFilter)) check.isComplex = true;
  const allowing = allowingOf(listing, stage, isPiped ? [] : [whole], kind);
  const interpreter = interpreterIn(stage, kind);
  if (interpreter !== undefined && allowing.length === 0)
    return `${interpreter} can run any command, and no policy allows it by name`;
  if (isFilter || listing.length === 0) return null;
  check.permitted.push(allowing);
  return allowing.length > 0
    ? null
    : `no policy allows ${shown(stage)} (${listing.map(({ name }) => name).join(', ')})`;
}

/** Returns why operators are denied, or null. Separate commands need permission only if a policy has an allow list. */
function operatorFault({ applying, listing, permitted, redirects }: CommandCheck): string | null {
  const isPermitted =
    listing.length > 0
      ? permitted.every((policies) => policies.some(({ operators }) => operators))
      : !redirects || applying.some(({ operators }) => operators);
  if (isPermitted) return null;
  const names = applying.map(({ name }) => name).join(', ');
  return `no policy with operators allows ${redirects ? 'redirection' : 'several commands in one line'} (${names})`;
}

const isComment = (stage: CommandWords, { comments }: CommandSyntax): boolean =>
  comments.some((mark) => stage[0]?.startsWith(mark));

/** Returns why the first word may run something that the other words do not show, or null. */
function escapeFault(stage: CommandWords, { isShell, carriers }: CommandSyntax): string | null {
  if (!isShell) return stage[0]?.startsWith('!') ? 'the command cannot be checked: it begins with !' : null;
  const faults = stage.map(shellWordFault);
  if (faults[0]) return `the command cannot be checked: it ${faults[0]}`;
  if (!carriers.some((one) => begins(wordsOf(stage), one.split(' '), EXACT))) return null;
  const inner = stage.slice(1).find((word, at) => faults[at + 1] !== null || /[\\$`'"{}]/.test(word));
  return inner === undefined
    ? null
    : `the command cannot be checked: ${shown(stage)} runs the result of ${shown([inner])}`;
}

function denialOf(
  policies: readonly CommandPolicy[],
  stage: CommandWords,
  others: readonly CommandWords[],
  kind: PlatformSyntax,
  redirects: boolean,
): string | null {
  const readings = [...readingsOf(stage, kind, redirects), ...others.map(wordsOf)];
  for (const { name, deny = [] } of policies) {
    const found = deny.find((rule) => {
      const words = ruleWords(rule, kind.syntax);
      const tails = kind.syntax.hasContexts ? words.map((_, at) => words.slice(at)) : [words];
      return tails.some((tail) =>
        readings.some((reading) => begins(reading, tail, { ...kind, least: 1, isLonger: true })),
      );
    });
    if (found !== undefined) return `policy ${name} denies ${found}`;
  }
  return null;
}

/** Returns the possible interpretations of a stage: as written, without `do`, and from each word after a carrier. */
function readingsOf(stage: CommandWords, kind: PlatformSyntax, isCarried: boolean): string[][] {
  const { syntax } = kind;
  const words = wordsOf(stage);
  const inner = withoutPrefixes(words, syntax);
  const carries =
    isCarried ||
    [words, inner].some((reading) =>
      syntax.carriers.some((one) => begins(reading, one.split(' '), { ...kind, least: 1, isLonger: false })),
    );
  const readings = [words, inner];
  if (carries) {
    const all = stage.flatMap((word) => wordsOf(word.split(/[\s=,;|&()]+/)));
    readings.push(...all.map((_, at) => all.slice(at)));
  }
  return readings.flatMap((reading) => [reading, squeezed(reading), ...pathless(reading, syntax)]);
}

/** Removes quotes, backslashes and `?`, which are not part of the word that a device reads. */
const squeezed = (words: readonly string[]) =>
  words.map((word) => word.replace(/[^a-z0-9_\-./:+*|]/g, '')).filter((word) => word !== '');

/** Returns the name of a program that may be written with its path. */
const nameIn = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

const pathless = (words: readonly string[], { isShell }: CommandSyntax): string[][] =>
  isShell && words[0]?.includes('/') ? [[nameIn(words[0]), ...words.slice(1)]] : [];

function withoutPrefixes(words: readonly string[], { prefixes }: CommandSyntax): string[] {
  const first = words.findIndex((word) => !prefixes.includes(word));
  return first < 0 ? [] : words.slice(first);
}

function allowingOf(
  policies: readonly CommandPolicy[],
  stage: CommandWords,
  others: readonly CommandWords[],
  kind: PlatformSyntax,
): CommandPolicy[] {
  // A shell is case-sensitive; other systems are not.
  const { isShell } = kind.syntax;
  const fold = isShell ? (words: readonly string[]) => [...words] : wordsOf;
  const comparison = { abbreviates: kind.abbreviates && !isShell, least: 2, isLonger: false };
  const readings = [fold(stage), withoutPrefixes(fold(stage), kind.syntax), ...others.map(fold)];
  return policies.filter(({ allow = [] }) =>
    allow.some((rule) => {
      const words = fold(rawRuleWords(rule, kind.syntax));
      return readings.some((reading) => begins(reading, words, comparison));
    }),
  );
}

function interpreterIn(stage: CommandWords, kind: PlatformSyntax): string | undefined {
  const words = withoutPrefixes(wordsOf(stage), kind.syntax);
  // `sh` means `show` on every system that abbreviates.
  const isShow = !kind.syntax.isShell && words[0] !== undefined && 'show'.startsWith(words[0]);
  const readings = isShow ? [] : [words, squeezed(words), ...pathless(words, kind.syntax)];
  return kind.syntax.interpreters.find((one) =>
    readings.some(
      (reading) =>
        begins(reading, one.split(' '), { ...kind, least: 2, isLonger: false }) ||
        new RegExp(`^${one.replaceAll('.', '\\.')}[\\d.]+$`).test(reading[0] ?? ''),
    ),
  );
}

/** Returns whether the first word after a pipe can only be a filter. */
function isKnownFilter(
  stage: CommandWords,
  { syntax: { filters, sinks }, abbreviates }: PlatformSyntax,
): boolean {
  const word = stage[0]?.toLowerCase() ?? '';
  if (filters.includes(word)) return true;
  const meant = abbreviates ? [...filters, ...sinks].filter((one) => one.startsWith(word)) : [];
  return meant.length > 0 && meant.every((one) => filters.includes(one));
}

/** Returns whether this command of a shell writes its input somewhere. */
const isSink = ([word = '']: CommandWords, { sinks }: CommandSyntax) => sinks.includes(nameIn(word));

function sinkFault(stage: CommandWords, { syntax: { pipe, filters } }: PlatformSyntax): string {
  const word = shown(stage.slice(0, 1));
  return pipe === 'filter'
    ? `${word} is not a filter: after a pipe only ${filters.join(', ')} are allowed`
    : `${word} writes its input to a destination, and no policy with operators allows it`;
}

const shown = (stage: CommandWords) => JSON.stringify(withoutSecrets(stage.join(' ')).slice(0, 60));

const wordsOf = (words: readonly string[]): string[] =>
  words.map((word) => word.normalize('NFKC').toLowerCase()).filter((word) => word !== '');

const rawRuleWords = (rule: string, { wordBreaks }: CommandSyntax): string[] =>
  [...rule]
    .map((sign) => (wordBreaks.includes(sign) ? ' ' : sign))
    .join('')
    .replaceAll('|', ' | ')
    .trim()
    .split(/\s+/);
const ruleWords = (rule: string, syntax: CommandSyntax) => wordsOf(rawRuleWords(rule, syntax));

/** How words are compared: minimum length of an abbreviation, and whether a longer word matches too. */
type Comparison = { abbreviates: boolean; least: number; isLonger: boolean };
const EXACT: Comparison = { abbreviates: false, least: 1, isLonger: false };

/** Returns whether a command begins with these words, which may be abbreviated if the system allows it. */
function begins(
  words: readonly string[],
  wanted: readonly string[],
  { abbreviates, least, isLonger }: Comparison,
): boolean {
  return wanted.every((word, index) => {
    const given = words[index];
    if (given === undefined) return false;
    if (given === word || (isLonger && given.startsWith(word))) return true;
    if (!abbreviates || word === '|') return false;
    const leading = isLonger ? (/^[\w-]+/.exec(given)?.[0] ?? given) : given;
    return leading.length >= least && word.startsWith(leading);
  });
}
