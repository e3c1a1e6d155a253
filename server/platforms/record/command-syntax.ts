import { z } from 'zod';
import { words } from './words.ts';

const word = z.string().min(1).max(64);
const wordList = z.array(word).max(200);
const mark = z.string().min(1).max(4);

/**
 * How a kind of device reads a line: what command policies have to know to find every command in it. Where nothing is
 * known of a kind of device, `UNKNOWN_SYNTAX` assumes every separator and substitution.
 */
export const CommandSyntax = z.strictObject({
  /** Marks that end one command and begin the next. */
  separators: z.array(mark).max(20),
  /** What follows `|`: a filter of the output, another command, or nothing special. */
  pipe: z.enum(['filter', 'command', 'none']),
  /** Filters that neither write nor run anything. */
  filters: wordList,
  /** Everything else that may follow `|`: an abbreviation that could mean one of these is no filter. */
  sinks: wordList,
  /** True: a `|` without spaces around it, in the pattern of a filter, belongs to the pattern. */
  hasAlternation: z.boolean(),
  /** Marks that send the output to a file, or read from one. */
  redirects: z.array(mark).max(10),
  /** Marks that put the result of something else into the line. */
  substitutions: z.array(mark).max(20),
  /** True: quotes and backslashes protect separators, `$` names variables and `!` the history, as in a POSIX shell. */
  isShell: z.boolean(),
  /** Characters that separate words, beside spaces. */
  wordBreaks: z.string().max(10),
  /** True: a word alone enters a context, and what follows is read inside of it. */
  hasContexts: z.boolean(),
  /** Marks that begin a line without a command. */
  comments: z.array(mark).max(5),
  /** Words before a command that change nothing about it, such as `do` in a configuration mode. */
  prefixes: wordList,
  /** Commands that run, schedule or rename another one that is in the same line. */
  carriers: wordList,
  /** Commands that open or feed an interpreter, after which anything could run. */
  interpreters: wordList,
});
export type CommandSyntax = z.infer<typeof CommandSyntax>;

const SUBSTITUTIONS = ['`', '$(', '${', "$'", '$"', '<(', '>('];

/** Assumed of devices whose syntax is not known. */
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
