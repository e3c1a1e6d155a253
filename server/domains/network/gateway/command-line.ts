import type { CommandSyntax } from '#server/platforms/record/command-syntax.ts';

/** The words of one command, or of one stage of a pipe, as sent. */
export type CommandWords = string[];

/** The commands that a device would execute for one line. */
export type CommandLine = {
  /** Commands, each with the stages that its output is piped through. */
  pipelines: CommandWords[][];
  /** Whether the line writes output to a file, or reads from one. */
  redirects: boolean;
};

/** Characters that devices interpret differently: special spaces, invisible and control characters. */
const AMBIGUOUS = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/u;
/** UTF-8 bytes that a device with seven-bit lines interprets as a line end. */
const SEVEN_BIT_LINE_END = /[\x8a\x8d]/;

const VARIABLE = /^\$[\w({'"@*#?$!-]/;
const HISTORY = /^![^\s=(]/;

/**
 * Splits a line into the commands that a device would execute. In doubt it splits, because every part must be allowed.
 *
 * @returns the commands, or a text with the reason why the line cannot be checked
 */
export function readCommandLine(line: string, syntax: CommandSyntax): CommandLine | string {
  const strange = AMBIGUOUS.exec(line)?.[0];
  if (strange !== undefined)
    return `contains ${codePoint(strange)}, which not every device reads as the same character`;
  if (SEVEN_BIT_LINE_END.test(Buffer.from(line, 'utf8').toString('latin1')))
    return 'contains a character whose bytes some devices read as a line end';
  if (/\\\s*$/.test(line)) return 'ends in a backslash, so that the next command would continue it';
  return scan(line, syntax);
}

const codePoint = (text: string) =>
  `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function scan(line: string, syntax: CommandSyntax): CommandLine | string {
  const separators = [...syntax.separators].sort((a, b) => b.length - a.length);
  const pipelines: CommandWords[][] = [];
  let stages: CommandWords[] = [];
  let words: CommandWords = [];
  let word: string | null = null;
  let quote: string | null = null;
  let redirects = false;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endStage = () => {
    endWord();
    stages.push(words);
    words = [];
  };
  const endPipeline = () => {
    endStage();
    if (stages.some((stage) => stage.length > 0)) pipelines.push(stages);
    stages = [];
  };
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at);
    const sign = rest.charAt(0);
    if (quote !== "'") {
      const fault = substitutionIn(rest, syntax, quote);
      if (fault !== null) return fault;
    }
    at += 1;
    if (syntax.isShell && sign === '\\' && quote !== "'") {
      word = (word ?? '') + line.charAt(at);
      at += 1;
    } else if (quote !== null) {
      if (sign === quote) quote = null;
      else word = (word ?? '') + sign;
    } else if (syntax.isShell && (sign === '"' || sign === "'")) {
      quote = sign;
      word ??= '';
    } else if (/\s/.test(sign)) {
      endWord();
    } else {
      const redirect = redirectAt(rest, syntax);
      const separator = separators.find((one) => rest.startsWith(one));
      if (redirect !== undefined) {
        redirects = true;
        endWord();
        words.push(redirect);
        at += redirect.length - 1;
      } else if (separator !== undefined) {
        endPipeline();
        at += separator.length - 1;
      } else if (sign === '|' && syntax.pipe !== 'none' && !isAlternation(line, at - 1, stages, syntax)) {
        endStage();
      } else if (syntax.wordBreaks.includes(sign)) {
        endWord();
      } else {
        word = (word ?? '') + sign;
      }
    }
  }
  if (quote !== null) return 'has an unclosed quote, so that the next command would continue it';
  endPipeline();
  if (pipelines.some((one) => one.length > 1 && one.some((stage) => stage.length === 0)))
    return 'has a pipe without a command on each side';
  return { pipelines, redirects };
}

/** Returns whether a `|` belongs to the pattern of a filter: no space around it, and no sink after it. */
function isAlternation(
  line: string,
  at: number,
  before: readonly CommandWords[],
  syntax: CommandSyntax,
): boolean {
  if (!syntax.hasAlternation || before.length === 0) return false;
  if (!/[^\s|]/.test(line.charAt(at - 1))) return false;
  const next = /^[^\s|]+/
    .exec(line.slice(at + 1))?.[0]
    .toLowerCase()
    .replace(/[^a-z-]/g, '');
  return (
    next !== undefined &&
    !syntax.sinks.some((sink) => next !== '' && (sink.startsWith(next) || next.startsWith(sink)))
  );
}

function redirectAt(rest: string, { isShell, redirects }: CommandSyntax): string | undefined {
  if (isShell) return /^(?:&>>?|<<[<-]?|>>|<>|[<>]&|>\||[<>])/.exec(rest)?.[0];
  return redirects.find((one) => rest.startsWith(one));
}

function substitutionIn(rest: string, syntax: CommandSyntax, quote: string | null): string | null {
  const mark = syntax.substitutions.find((one) => rest.startsWith(one) && !(quote === '"' && one === '$"'));
  if (mark !== undefined) return `contains ${mark}, which substitutes the output of another command`;
  if (!syntax.isShell) return null;
  if (VARIABLE.test(rest) && !(quote === '"' && rest.startsWith('$"'))) return 'contains a shell variable';
  return HISTORY.test(rest) ? 'contains !, which repeats an earlier command' : null;
}

/** Returns why a shell would not run exactly the command in this word; null when it would. */
export function shellWordFault(word: string): string | null {
  if (/^\w+\+?=/.test(word)) return 'sets a shell variable';
  return /[*?[\]~]/.test(word) ? 'uses a pattern as the name of its command' : null;
}
