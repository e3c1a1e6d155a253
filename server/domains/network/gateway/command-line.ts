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
  const ambiguous = AMBIGUOUS.exec(line)?.[0];
  if (ambiguous !== undefined)
    return `contains ${codePoint(ambiguous)}, which not every device reads as the same character`;
  if (SEVEN_BIT_LINE_END.test(Buffer.from(line, 'utf8').toString('latin1')))
    return 'contains a character whose bytes some devices read as a line end';
  if (/\\\s*$/.test(line)) return 'ends in a backslash, so that the next command would continue it';
  return scan(line, syntax);
}

const codePoint = (text: string) =>
  `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function scan(line: string, syntax: CommandSyntax): CommandLine | string {
  const commands = new CommandBuilder();
  let quote: string | null = null;
  for (let at = 0; at < line.length; ) {
    const fault = quote === "'" ? null : substitutionIn(line.slice(at), syntax, quote);
    if (fault !== null) return fault;
    const sign = line.charAt(at);
    const isEscaped: boolean = syntax.isShell && sign === '\\' && quote !== "'";
    const quoteAfter: string | null = isEscaped ? quote : quoteAt(sign, quote, syntax);
    if (isEscaped) {
      commands.append(line.charAt(at + 1));
      at += 2;
    } else if (quote === null && quoteAfter === null) {
      at += readUnquoted(line, at, commands, syntax);
    } else {
      commands.append(quote === quoteAfter ? sign : '');
      at += 1;
    }
    quote = quoteAfter;
  }
  if (quote !== null) return 'has an unclosed quote, so that the next command would continue it';
  commands.endPipeline();
  const { pipelines, redirects } = commands;
  if (pipelines.some((one) => one.length > 1 && one.some((stage) => stage.length === 0)))
    return 'has a pipe without a command on each side';
  return { pipelines, redirects };
}

/** Returns the quote that is open behind a sign; null for none. @param open the quote that is open before it */
function quoteAt(sign: string, open: string | null, { isShell }: CommandSyntax): string | null {
  if (open !== null) return sign === open ? null : open;
  return isShell && (sign === '"' || sign === "'") ? sign : null;
}

/** The commands of a line as far as it was read. */
class CommandBuilder {
  readonly pipelines: CommandWords[][] = [];
  redirects = false;
  stages: CommandWords[] = [];
  #words: CommandWords = [];
  #word: string | null = null;

  /** Extends the current word; a quoted one may be empty. */
  append(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  endWord(): void {
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
  }

  redirect(sign: string): void {
    this.redirects = true;
    this.endWord();
    this.#words.push(sign);
  }

  endStage(): void {
    this.endWord();
    this.stages.push(this.#words);
    this.#words = [];
  }

  endPipeline(): void {
    this.endStage();
    if (this.stages.some((stage) => stage.length > 0)) this.pipelines.push(this.stages);
    this.stages = [];
  }
}

/** Reads what is at a position outside quotes. @returns its length */
function readUnquoted(line: string, at: number, commands: CommandBuilder, syntax: CommandSyntax): number {
  const rest = line.slice(at);
  const sign = rest.charAt(0);
  const redirect = redirectAt(rest, syntax);
  const separator = separatorAt(rest, syntax);
  if (/\s/.test(sign)) commands.endWord();
  else if (redirect !== undefined) commands.redirect(redirect);
  else if (separator !== undefined) commands.endPipeline();
  else if (sign === '|' && syntax.pipe !== 'none' && !isAlternation(line, at, commands.stages, syntax))
    commands.endStage();
  else if (syntax.wordBreaks.includes(sign)) commands.endWord();
  else commands.append(sign);
  return /\s/.test(sign) ? 1 : (redirect ?? separator ?? sign).length;
}

/** Returns the longest separator of commands at the beginning of a text. */
const separatorAt = (rest: string, { separators }: CommandSyntax): string | undefined =>
  separators
    .filter((one) => rest.startsWith(one))
    .reduce<string | undefined>((best, one) => (best && best.length >= one.length ? best : one), undefined);

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
