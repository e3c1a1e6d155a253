import { type CommandKnowledge, PLAIN, type SectionExit } from './platform-rules.ts';

const BGP_EXITS: readonly SectionExit[] = [
  { at: 'router bgp > template peer-policy', text: 'exit-peer-policy' },
  { at: 'router bgp > template peer-session', text: 'exit-peer-session' },
  { at: 'router bgp > address-family', text: 'exit-address-family' },
];

const IOS_IGNORES = [
  'version',
  'end$',
  '* > no ip address$',
  '** > exit-peer-policy$',
  '** > exit-peer-session$',
  '** > exit-address-family$',
  'crypto key generate rsa general-keys',
];

const NESTED_EXIT = { text: 'exit', everywhere: false } as const;

const ACCESS_GROUPS = [
  'interface > ip access-group %',
  'interface > ipv6 traffic-filter %',
  'line > access-class %',
  'line > ipv6 access-class %',
];

/** Commands whose last words are the value, on Cisco's and like devices; a taking back names no value. */
export const COMMON_NEGATES = [
  ['banner *', 'no {2}'],
  ['ip|ipv6 prefix-list * seq # *', 'no {5}'],
  ['snmp-server user * *', 'no {3}'],
] as const;

/** What a device of this manner replaces rather than keeps twice. */
export const COMMON_REPLACES = [
  'client * server-key',
  'hardware access-list tcam region *',
  'hardware profile tcam region *',
];

/** Cisco IOS and IOS XE. */
export const IOS: CommandKnowledge = {
  ...PLAIN,
  dialects: ['cisco-ios'],
  replaces: [
    'hostname',
    'banner *',
    'vlan > name',
    'interface > description',
    'interface > ip address',
    'interface > switchport mode',
    'interface > authentication host-mode',
    'interface > authentication event server dead action authorize vlan',
    'errdisable recovery interval',
    'client * server-key',
  ],
  adds: ['interface > ip address * secondary', 'interface > ip address * * secondary'],
  replacesNegated: ['logging console'],
  negates: [['logging console *', 'logging console debugging'], ...COMMON_NEGATES],
  weights: [
    ['interface > switchport mode', -10],
    ['no vlan filter', 200],
    ['interface > no shutdown', 200],
    ['aaa group server tacacs+ > no server', 10],
    ['no tacacs-server', 10],
  ],
  ignores: IOS_IGNORES,
  numbers: ['ip access-list'],
  exits: BGP_EXITS,
  exit: NESTED_EXIT,
  sequences: [
    { at: 'ip access-list standard|extended *', references: ACCESS_GROUPS },
    { at: 'ipv6 access-list *', references: ACCESS_GROUPS },
  ],
};

/** Cisco IOS XR, whose changes act when they are committed. */
export const IOS_XR: CommandKnowledge = {
  ...PLAIN,
  dialects: ['cisco-ios-xr'],
  commits: true,
  replaces: [
    'hostname',
    'banner *',
    'logging source-interface',
    'logging * vrf MGMT',
    'snmp-server location',
    'l2vpn$ > router-id',
    'line default$ > access-class ingress',
    'line default$ > transport input',
    'line console$ > exec-timeout',
    'mpls ldp$ > session protection duration',
    'mpls ldp$ > igp sync delay',
    'interface > ipv4 address',
    'interface > mtu',
    'router bgp > bgp router-id',
    'router bgp > neighbor > description|password',
    'router bgp > neighbor-group > address-family > soft-reconfiguration inbound',
    'router bgp > vrf > address-family > additional-paths selection route-policy',
    'router bgp > vrf > neighbor > description|password',
    'router bgp > vrf > neighbor > address-family > soft-reconfiguration inbound',
    'router bgp > vrf > neighbor > address-family > maximum-prefix',
    'router ospf > router-id',
    'router ospf > max-metric router-lsa',
    'router ospf > area > message-digest-key',
    'router ospf > area > interface > cost',
    'ipv4|ipv6 access-list > #',
  ],
  adds: ['interface > ipv4 address * secondary', 'interface > ipv4 address * * secondary'],
  negates: COMMON_NEGATES,
  weights: [
    ['vrf', -200],
    ['no vrf', 200],
  ],
  overwrites: ['as-path-set', 'prefix-set', 'route-policy', 'extcommunity-set', 'community-set'],
  recreates: ['template'],
  duplicates: ['route-policy'],
  ignores: ['end$', '** > end-policy$', '** > end-set$', '** > end-template$', '** > end-group$'],
  exits: [
    { at: 'route-policy', text: 'end-policy', whole: true },
    { at: 'prefix-set|as-path-set|community-set|extcommunity-set|rd-set', text: 'end-set', whole: true },
    { at: 'policy-map', text: 'end-policy-map', whole: true },
    { at: 'class-map', text: 'end-class-map', whole: true },
    { at: 'template', text: 'end-template', whole: true },
    { at: 'group', text: 'end-group', whole: true },
    { at: 'interface', text: 'root' },
    { at: 'router bgp', text: 'root' },
  ],
  exit: NESTED_EXIT,
};

/** Cisco NX-OS. */
export const NX_OS: CommandKnowledge = {
  ...PLAIN,
  dialects: ['cisco-nx'],
  replaces: [
    'hostname',
    'banner *',
    'power redundancy-mode',
    'cli alias name wr',
    'aaa authentication login console',
    'port-channel load-balance',
    'ip tftp|telnet|tacacs source-interface',
    'logging source-interface',
    'mac address-table aging-time',
    'snmp-server location',
    'username admin password 5',
    'vpc domain > role priority',
    'policy-map type control-plane copp-system-policy$ > class > police',
    'line console$ > exec-timeout',
    'line vty > transport input',
    'line vty > access-class',
    'line vty > ipv6 access-class',
    'interface > ip address',
    'interface > ip ospf cost',
    'interface > ipv6 link-local',
    'interface > ospfv3 cost',
    'interface > duplex|speed|mtu',
    'interface > switchport mode',
    'interface > switchport access vlan',
    'interface > switchport trunk native|allowed vlan',
    'interface > udld port',
    'interface > hsrp # > ip',
    'interface > hsrp # > priority',
    'interface > hsrp # > authentication md5 key-string',
    'router bgp > bgp router-id',
    'router bgp > neighbor * description',
    'router bgp > address-family > maximum-paths',
    'router bgp > template > address-family > send-community',
    'router bgp > vrf > address-family > maximum-paths',
    'router bgp > vrf > neighbor > password',
    'router bgp > vrf > neighbor > address-family > soft-reconfiguration inbound',
    'router ospf > maximum-paths',
    'router ospf > log-adjacency-changes',
    'router ospf > router-id',
    'router ospf > vrf > maximum-paths',
    'router ospf > vrf > log-adjacency-changes',
    'ipv6 router ospf > router-id',
    'ipv6 router ospf > log-adjacency-changes',
    ...COMMON_REPLACES,
  ],
  adds: ['interface > ip address * secondary', 'interface > ip address * * secondary'],
  negates: [
    ['router bgp > address-family > maximum-paths ibgp', 'default maximum-paths ibgp'],
    ['router bgp > vrf > address-family > maximum-paths ibgp', 'default maximum-paths ibgp'],
    ['router bgp > neighbor > address-family > send-community$', 'default {}'],
    ['interface > ip ospf passive-interface', 'default {}'],
    ['interface > no ip ospf passive-interface', 'default ip ospf passive-interface'],
    ['interface > ospfv3 passive-interface', 'default {}'],
    ['interface > no ospfv3 passive-interface', 'default ospfv3 passive-interface'],
    ['line vty$ > session-limit', 'session-limit 32'],
    ...COMMON_NEGATES,
  ],
  ignores: ['version', 'boot system|kickstart', 'end$'],
  exit: NESTED_EXIT,
  sequences: [
    {
      at: 'ip|ipv6|mac access-list *',
      references: [
        'interface > ip access-group %',
        'interface > ip port access-group %',
        'interface > ipv6 traffic-filter %',
        'interface > mac port access-group %',
        'line > access-class %',
        'line > ipv6 access-class %',
      ],
    },
  ],
};

/** Arista EOS. */
export const EOS: CommandKnowledge = {
  ...PLAIN,
  dialects: ['arista-eos'],
  replaces: [
    'hostname',
    'banner *',
    'logging source-interface|buffered|facility',
    'tacacs-server key',
    'vlan internal allocation policy',
    'username admin',
    'snmp-server user',
    'snmp-server location|source-interface',
    'ntp source',
    'aaa authentication enable default group tacacs+',
    'ip tftp client source-interface',
    'management > idle-timeout',
    'control-plane$ > ip access-group CPP in$',
    'line vty > transport input',
    'line vty > access-class',
    'line vty > ipv6 access-class',
    'line con 0$ > exec-timeout',
    'interface > ip address',
    'interface > ip ospf message-digest-key',
    'interface > mtu',
    'interface > standby # priority',
    'interface > standby # authentication md5',
    'router bgp > bgp router-id',
    'router bgp > neighbor * description',
    'router ospf > router-id|max-lsa|maximum-paths|log-adjacency-changes',
    'ipv6 router ospf > router-id|log-adjacency-changes',
  ],
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
};

/** Other devices of Cisco's manner, of which no more is known. */
export const CISCO_LIKE: CommandKnowledge = {
  ...PLAIN,
  dialects: [
    'generic',
    'cisco-asa',
    'a10-acos',
    'aruba-aoscx',
    'dell-os10',
    'ruckus-fastiron',
    'extreme-netiron',
  ],
  replaces: ['hostname', ...COMMON_REPLACES],
  negates: COMMON_NEGATES,
  exit: NESTED_EXIT,
};
