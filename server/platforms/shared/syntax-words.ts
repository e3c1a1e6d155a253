import { type CommandSyntax, UNKNOWN_SYNTAX } from '../record/command-syntax.ts';
import { words } from '../record/words.ts';

/** Returns the default words for device types of unknown syntax, plus `more`, separated by commas. */
export const also = (field: 'carriers' | 'interpreters' | 'sinks', more: string): string[] => [
  ...UNKNOWN_SYNTAX[field],
  ...words(more),
];

/** Syntax of a POSIX shell, where any command may follow a pipe. */
export const SHELL: Partial<CommandSyntax> = {
  separators: [';', '&&', '||', '&', '(', ')', '{', '}', '\n'],
  pipe: 'command',
  filters: [],
  sinks: words('append, csplit, dd, file, redirect, save, split, sponge, tee, vsh'),
  isShell: true,
  comments: [],
  prefixes: [],
  carriers: words(`
    !, alias, at, batch, builtin, busybox, chroot, command, coproc, cron, crontab, do, doas, elif, else, env, exec, find,
    flock, function, if, ionice, ip netns exec, ltrace, nice, nohup, nsenter, parallel, pkexec, run, runuser, screen,
    script, setpriv, setsid, ssh, stdbuf, strace, su, sudo, systemd-run, taskset, then, time, timeout, tmux, trap, type,
    unshare, until, vtysh, watch, while, xargs`),
  interpreters: words(`
    ., ash, awk, bash, csh, dash, ed, emacs, eval, ex, expect, fish, gawk, gdb, ksh, less, lua, make, man, mawk, more,
    mksh, nano, nawk, node, perl, php, python, rbash, ruby, sed, sh, socat, source, tclsh, tcsh, vi, vim, zsh`),
};
