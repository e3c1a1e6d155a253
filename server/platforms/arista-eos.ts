import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import {
  BGP_EXITS,
  COMMON_NEGATES,
  IOS_IGNORES,
  NESTED_EXIT,
  NOISE,
  PERCENT,
  TERMINAL,
} from './shared/cisco-like.ts';
import { lines } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const aristaEos: PlatformRecord = {
  name: 'arista-eos',
  title: 'Arista EOS',
  aliases: ['eos'],
  orchestratorNames: /arista|\beos\b|dcs/,
  text: {
    structure: 'indent',
    lexRules: lines('!'),
    blocks: [
      { begins: 'banner *', ends: { line: 'EOF' } },
      { begins: 'action bash', ends: { line: 'EOF' } },
      { begins: 'code', ends: { line: 'EOF' } },
    ],
    step: 3,
    defaults: ['no shutdown'],
  },
  commands: {
    replaces: words(`
      hostname, banner *, logging source-interface|buffered|facility, tacacs-server key,
      vlan internal allocation policy, username admin, snmp-server user, snmp-server location|source-interface,
      ntp source, aaa authentication enable default group tacacs+, ip tftp client source-interface,
      management > idle-timeout, control-plane$ > ip access-group CPP in$, line vty > transport input,
      line vty > access-class, line vty > ipv6 access-class, line con 0$ > exec-timeout, interface > ip address,
      interface > ip ospf message-digest-key, interface > mtu, interface > standby # priority,
      interface > standby # authentication md5, router bgp > bgp router-id, router bgp > neighbor * description,
      router ospf > router-id|max-lsa|maximum-paths|log-adjacency-changes,
      ipv6 router ospf > router-id|log-adjacency-changes`),
    adds: ['interface > ip address * secondary'],
    negates: [['interface > logging event link-status$', 'default {}'], ...COMMON_NEGATES],
    ignores: IOS_IGNORES,
    exits: BGP_EXITS,
    exit: NESTED_EXIT,
    sequences: [
      {
        at: 'ip|ipv6 access-list *',
        references: ['interface > ip|ipv6 access-group %', 'control-plane > ip|ipv6 access-group %'],
      },
      { at: 'ip access-list standard *', references: ['interface > ip access-group %'] },
    ],
  },
  deviceTypes: [
    {
      device_type: 'arista_eos',
      aliases: ['eos', 'arista_eos_ssh', 'arista'],
      prompts: ['{host}(?:\\([^)]*\\)){0,2}[>#]', '\\[{host} [^\\]]{1,60}\\][$#]'],
      enable: 'enable',
      prepare: ['terminal length 0', 'terminal width 32767'],
      failures: [...PERCENT, '% ?(?:Unavailable|Cannot commit)', '! ?Command.{0,20}not allowed'],
      repaints: true,
      detect: { words: ['Arista'] },
      // Changes are made in a separate session: uncommitted lines have no effect, and a lost connection changes nothing.
      config: {
        ...TERMINAL,
        noise: [...NOISE, '! Command: .*', '! Time: .*'],
        enter: ['configure session'],
        leave: [],
        abandon: ['abort'],
        apply: ['commit'],
        check: ['show session-config diffs'],
      },
      // Any program of the underlying Linux may follow `|`.
      syntax: {
        separators: [';', '\n'],
        filters: words('begin, count, egrep, exclude, grep, include, json, no-more, nz, section'),
        sinks: also('sinks', 'aaa, diff, sort, xargs'),
        carriers: also('carriers', 'event-handler'),
        interpreters: also('interpreters', 'python-shell, run'),
      },
    },
  ],
};
