import { z } from 'zod';
import { words } from './words.ts';

const word = z.string().min(1).max(64);
const wordList = z.array(word).max(200);
const mark = z.string().min(1).max(4);

/**
 * The syntax of a command line, which command policies need to find every command in it. For unknown kinds of device,
 * `UNKNOWN_SYNTAX` assumes every common separator and substitution.
 */
export const CommandSyntax = z.strictObject({
  /** Marks that end one command and begin the next. */
  separators: z.array(mark).max(20),
  /** The meaning of `|`: an output filter follows, another command follows, or none. */
  pipe: z.enum(['filter', 'command', 'none']),
  /** Filters that neither write nor run anything. */
  filters: wordList,
  /** Other words that may follow `|`: an abbreviation that could mean one of these is not treated as a filter. */
  sinks: wordList,
  /** True: a `|` without spaces around it, in the pattern of a filter, belongs to the pattern. */
  hasAlternation: z.boolean(),
  /** Marks that send the output to a file, or read from one. */
  redirects: z.array(mark).max(10),
  /** Marks that insert the result of another expression into the line. */
  substitutions: z.array(mark).max(20),
  /** True: quotes and backslashes protect separators, `$` names variables and `!` the history, as in a POSIX shell. */
  isShell: z.boolean(),
  /** Characters that separate words, in addition to spaces. */
  wordBreaks: z.string().max(10),
  /** True: a single word enters a context, in which the following text is interpreted. */
  hasContexts: z.boolean(),
  /** Marks of lines without a command. */
  comments: z.array(mark).max(5),
  /** Words before a command that do not change its meaning, such as `do` in configuration mode. */
  prefixes: wordList,
  /** Commands that run, schedule or rename another command on the same line. */
  carriers: wordList,
  /** Commands that open or feed an interpreter, which could run anything. */
  interpreters: wordList,
});
export type CommandSyntax = z.infer<typeof CommandSyntax>;

const SUBSTITUTIONS = ['`', '$(', '${', "$'", '$"', '<(', '>('];

/** Syntax assumed for devices whose syntax is unknown. */
export const UNKNOWN_SYNTAX: CommandSyntax = {
  separators: [';', '&&', '||', '&', '\n'],
  pipe: 'filter',
  filters: words(`
    begin, count, egrep, except, exclude, fgrep, grep, include, match, no-more, section`),
  sinks: words(`
    append, awk, bash, email, file, format, python, redirect, run, save, sed, sh, tee`),
  hasAlternation: false,
  redirects: ['>', '<'],
  substitutions: SUBSTITUTIONS,
  isShell: false,
  wordBreaks: '',
  hasContexts: false,
  comments: ['!'],
  prefixes: ['do'],
  carriers: words(`
    action, alias, cli, cron, do, event, exec, execute, job, kron, macro, repeat, run, schedule, scheduler,
    sudo, watch`),
  interpreters: words(`
    bash, expert, guestshell, lua, perl, python, ruby, shell, source, start shell, tclsh, tmsh, vsh, vtysh, zsh`),
};
