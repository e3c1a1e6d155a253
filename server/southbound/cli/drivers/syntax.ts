import { type CommandSyntax, UNKNOWN_SYNTAX } from '../command-syntax.ts';

/** What differs from the assumptions for unknown devices. */
const syntax = (known: Partial<CommandSyntax>): CommandSyntax => ({ ...UNKNOWN_SYNTAX, ...known });

const also = (member: 'carriers' | 'interpreters', ...more: string[]) => [...UNKNOWN_SYNTAX[member], ...more];

/** IOS and IOS XE: one command a line; `;`, quotes, `>` and `$` mean nothing there. */
const IOS = syntax({
  hasAlternation: true,
  separators: [],
  filters: ['begin', 'count', 'exclude', 'include', 'section'],
  sinks: ['append', 'format', 'redirect', 'tee'],
  redirects: [],
  substitutions: [],
  prefixes: ['do', 'do-exec'],
  carriers: also('carriers', 'menu'),
  interpreters: also('interpreters', 'request platform software system shell', 'scripting', 'tcl'),
});

/** Systems that look like IOS; whether `;` separates is not documented for each, so it is assumed. */
const IOS_LIKE = syntax({
  hasAlternation: true,
  separators: [';', '\n'],
  redirects: ['>'],
});

/** `;` separates, pipes go to a shell, and `$(name)` is a variable. */
const NXOS = syntax({
  hasAlternation: true,
  separators: [';', '\n'],
  filters: [
    ...[
      'begin',
      'count',
      'cut',
      'egrep',
      'exclude',
      'grep',
      'head',
      'human',
      'include',
      'json',
      'json-pretty',
    ],
    ...['last', 'no-more', 'nz', 'section', 'tr', 'wc', 'xml'],
  ],
  sinks: [
    ...[
      'append',
      'awk',
      'bash',
      'diff',
      'email',
      'end',
      'file',
      'less',
      'perl',
      'python',
      'redirect',
      'run',
      'save',
    ],
    ...['sed', 'sort', 'source', 'start', 'tee', 'uniq', 'vsh', 'xmlin', 'xmlout'],
  ],
  carriers: also('carriers', 'attach', 'slot'),
  interpreters: also('interpreters', 'chroot', 'gdb', 'load', 'run', 'run-script'),
});

/** What follows `|` may be any program of the Linux below. */
const EOS = syntax({
  separators: [';', '\n'],
  filters: ['begin', 'count', 'egrep', 'exclude', 'grep', 'include', 'json', 'no-more', 'nz', 'section'],
  sinks: [...UNKNOWN_SYNTAX.sinks, 'aaa', 'diff', 'sort', 'xargs'],
  carriers: also('carriers', 'event-handler'),
  interpreters: also('interpreters', 'python-shell', 'run'),
});

const XR = syntax({
  hasAlternation: true,
  separators: [';', '\n'],
  filters: ['begin', 'exclude', 'include', 'section'],
  sinks: ['append', 'file', 'redirect', 'save', 'tee', 'utility'],
  carriers: also('carriers', 'admin', 'describe'),
  interpreters: also('interpreters', 'admin run', 'attach', 'run', 'script'),
});

const ASA = syntax({
  hasAlternation: true,
  separators: [],
  filters: ['begin', 'exclude', 'grep', 'include'],
  sinks: ['append', 'redirect', 'tee'],
  redirects: [],
  substitutions: [],
  comments: ['!', ':'],
  carriers: also('carriers', 'changeto', 'cluster', 'failover'),
  interpreters: also('interpreters', 'session', 'system support'),
});

const FTD = syntax({ interpreters: also('interpreters', 'connect', 'system support') });

/** Comware and VRP: `display … > file`. */
const COMWARE = syntax({
  hasAlternation: true,
  separators: [';', '\n'],
  filters: ['begin', 'by-linenum', 'count', 'exclude', 'include'],
  sinks: ['append', 'redirect', 'save', 'tee'],
  comments: ['#', '!'],
  carriers: also('carriers', 'command-alias', 'command-privilege', 'ifmatch'),
  interpreters: also('interpreters', '_hidecmd', 'execute', 'xtd-cli-mode'),
});

/** One command a line; `run` leads out of the configuration mode. */
const JUNOS = syntax({
  hasAlternation: true,
  separators: [],
  filters: ['compare', 'count', 'display', 'except', 'find', 'last', 'match', 'no-more', 'resolve', 'trim'],
  sinks: ['append', 'difference', 'hold', 'refresh', 'request', 'save', 'tee'],
  redirects: [],
  substitutions: [],
  comments: ['#'],
  prefixes: ['run'],
  carriers: also('carriers', 'set event-options', 'set system scripts'),
  interpreters: also('interpreters', 'op', 'request pfe execute', 'request routing-engine execute'),
});

/** A leading `/`, `\` or `//` leads to the root, or into the other command line. */
const SROS = syntax({
  filters: ['count', 'match', 'no-more'],
  wordBreaks: '/\\',
  hasContexts: true,
  comments: ['#'],
  interpreters: also('interpreters', 'exec', 'pyexec'),
});

const SRL = syntax({
  filters: ['as', 'count', 'egrep', 'grep', 'head', 'tail', 'wc'],
  wordBreaks: '/',
  hasContexts: true,
  comments: ['#', '!'],
});

const FORTIOS = syntax({
  filters: ['grep'],
  comments: ['#'],
  interpreters: also('interpreters', 'fnsysctl'),
});

const PANOS = syntax({
  hasAlternation: true,
  filters: ['except', 'match'],
  sinks: ['save'],
  comments: ['#'],
  prefixes: ['run'],
  interpreters: also('interpreters', 'debug cli on', 'request batch'),
});

/** Commands stand in braces, brackets and scripts; words are separated by `/` as well. */
const ROUTEROS = syntax({
  separators: [';', '{', '}', '[', ']', '(', ')', '\n'],
  pipe: 'none',
  redirects: [],
  substitutions: ['$', '`'],
  wordBreaks: '/:=',
  hasContexts: true,
  comments: ['#'],
  carriers: also('carriers', 'for', 'foreach', 'if', 'on-error', 'put', 'set', 'system scheduler', 'while'),
  interpreters: also(
    'interpreters',
    'execute',
    'import',
    'parse',
    'system script',
    'system ssh',
    'system telnet',
  ),
});

const TMSH = syntax({
  wordBreaks: '/',
  hasContexts: true,
  comments: ['#'],
  interpreters: also('interpreters', 'cli script', 'run util'),
});

const GAIA = syntax({ comments: ['#'], interpreters: also('interpreters', 'clish', 'run') });

/** A POSIX shell: what follows a pipe is a command like any other. */
const SHELL = syntax({
  separators: [';', '&&', '||', '&', '(', ')', '{', '}', '\n'],
  pipe: 'command',
  filters: [],
  sinks: ['append', 'csplit', 'dd', 'file', 'redirect', 'save', 'split', 'sponge', 'tee', 'vsh'],
  isShell: true,
  comments: [],
  prefixes: [],
  carriers: [
    ...[
      '!',
      'alias',
      'at',
      'batch',
      'builtin',
      'busybox',
      'chroot',
      'command',
      'coproc',
      'cron',
      'crontab',
      'do',
    ],
    ...[
      'doas',
      'elif',
      'else',
      'env',
      'exec',
      'find',
      'flock',
      'function',
      'if',
      'ionice',
      'ip netns exec',
      'ltrace',
    ],
    ...[
      'nice',
      'nohup',
      'nsenter',
      'parallel',
      'pkexec',
      'run',
      'runuser',
      'screen',
      'script',
      'setpriv',
      'setsid',
    ],
    ...[
      'ssh',
      'stdbuf',
      'strace',
      'su',
      'sudo',
      'systemd-run',
      'taskset',
      'then',
      'time',
      'timeout',
      'tmux',
      'trap',
    ],
    ...['type', 'unshare', 'until', 'vtysh', 'watch', 'while', 'xargs'],
  ],
  interpreters: [
    ...[
      '.',
      'ash',
      'awk',
      'bash',
      'csh',
      'dash',
      'ed',
      'emacs',
      'eval',
      'ex',
      'expect',
      'fish',
      'gawk',
      'gdb',
      'ksh',
    ],
    ...[
      'less',
      'lua',
      'make',
      'man',
      'mawk',
      'more',
      'mksh',
      'nano',
      'nawk',
      'node',
      'perl',
      'php',
      'python',
      'rbash',
    ],
    ...['ruby', 'sed', 'sh', 'socat', 'source', 'tclsh', 'tcsh', 'vi', 'vim', 'zsh'],
  ],
});

/** The commands of VyOS are functions of a shell. */
const VYOS: CommandSyntax = {
  ...SHELL,
  pipe: 'filter',
  filters: ['commands', 'count', 'match', 'no-match', 'no-more', 'strip-private'],
  sinks: UNKNOWN_SYNTAX.sinks,
  prefixes: ['run'],
};

/** Syntax by device_type; drivers that extend one of these read lines as it does. */
export const SYNTAX: Readonly<Record<string, CommandSyntax>> = {
  cisco_ios: IOS,
  cisco_xr: XR,
  cisco_nxos: NXOS,
  cisco_asa: ASA,
  cisco_ftd: FTD,
  cisco_s300: IOS_LIKE,
  cisco_wlc: syntax({ pipe: 'none', comments: [] }),
  cisco_apic: { ...SHELL, pipe: 'filter', filters: ['egrep', 'grep'], sinks: UNKNOWN_SYNTAX.sinks },
  cisco_viptela: IOS_LIKE,
  cisco_staros: IOS_LIKE,
  arista_eos: EOS,
  frr: IOS_LIKE,
  ipinfusion_ocnos: IOS_LIKE,
  ruijie_os: IOS_LIKE,
  zte_zxros: IOS_LIKE,
  edgecore: IOS_LIKE,
  dell_sonic: syntax({ interpreters: also('interpreters', 'sudo') }),
  allied_telesis_awplus: IOS_LIKE,
  broadcom_icos: IOS_LIKE,
  mellanox_mlnxos: syntax({ interpreters: also('interpreters', '_shell') }),
  a10: IOS_LIKE,
  hp_comware: COMWARE,
  huawei: COMWARE,
  juniper_junos: JUNOS,
  nokia_sros: SROS,
  alcatel_sros: SROS,
  nokia_srl: SRL,
  fortinet: FORTIOS,
  paloalto_panos: PANOS,
  mikrotik_routeros: ROUTEROS,
  f5_tmsh: TMSH,
  checkpoint_gaia: GAIA,
  vyos: VYOS,
  linux: SHELL,
};
