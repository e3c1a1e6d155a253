/** How a simulated device's pager asks, and how it takes its line away again. */
export type Pager = { text: string; wipe: string };

/** What a simulated device is like. Everything in it is invented. */
export type Script = {
  device_type: string;
  /** Name of a driver to speak with it, where that is another one. */
  ident?: string;
  /** Said before the first prompt. */
  motd?: string;
  prompt: string;
  /** Prompt before `enable`. */
  exec?: string;
  enable?: string;
  /** Line above each prompt. */
  above?: string;
  /** Grows with each command, in place of `%n` in the prompt. */
  counts?: boolean;
  eol?: string;
  pager?: Pager;
  /** Commands that turn the pager off. */
  off?: RegExp;
  /** Other commands that are known, and what they answer. */
  quiet?: RegExp;
  version: string;
  invalid: string;
  /** Asked before there is a prompt: the question, and the answer that it takes. */
  asks?: { text: string; answer: RegExp }[];
  /** Signs in within the shell. */
  inBand?: boolean;
  /** Shell that one lands in, and what leads out of it. */
  landing?: { prompt: string; command: string };
  /** Said before every output. */
  preamble?: string;
  /** How a line is written back; absent: as it was typed. */
  echo?: (prompt: string, line: string) => string;
  /** Keys that count as Enter. */
  enter?: string;
};

const IOS_PAGER = { text: ' --More-- ', wipe: `${'\b'.repeat(9)}${' '.repeat(8)}${'\b'.repeat(9)}` };
const CR_PAGER = (text: string) => ({ text, wipe: `\r${' '.repeat(text.length)}\r` });
const ESC_PAGER = (text: string) => ({ text, wipe: '\r\u001b[K' });
const LENGTH_0 = /^terminal length 0$/;

const ios = (device_type: string, version: string, more: Partial<Script> = {}): Script => ({
  device_type,
  prompt: 'edge-r1#',
  pager: IOS_PAGER,
  off: LENGTH_0,
  quiet: /^terminal width \d+$/,
  version,
  invalid: "                ^\r\n% Invalid input detected at '^' marker.\r\n",
  ...more,
});

/** One device of each kind that the table of contract/engines#cli-drivers knows. */
export const SCRIPTS: readonly Script[] = [
  ios('cisco_ios', 'Cisco IOS Software, Version 15.2(4)E10', {
    exec: 'edge-r1>',
    enable: 'enable',
    motd: '\r\n*** Property of nobody # keep out > ***\r\n\r\n',
    ident: 'Cisco-1.25',
  }),
  ios('cisco_xe', 'Cisco IOS XE Software, Version 17.09.04a'),
  ios('cisco_xr', 'Cisco IOS XR Software, Version 7.5.2', {
    prompt: 'RP/0/RP0/CPU0:core-x1#',
    preamble: 'Fri Nov 20 19:00:00.123 UTC\r\n',
  }),
  ios('cisco_nxos', 'Cisco Nexus Operating System (NX-OS) Software', {
    prompt: 'leaf-n1# ',
    eol: '\r\r\n',
    pager: { text: '\u001b[7m--More--\u001b[m', wipe: '\r\u001b[K' },
  }),
  ios('cisco_asa', 'Cisco Adaptive Security Appliance Software Version 9.16', {
    prompt: 'fw-a1/admin# ',
    exec: 'fw-a1/admin> ',
    enable: 'enable',
    pager: CR_PAGER('<--- More --->'),
    off: /^terminal pager 0$/,
    invalid: "ERROR: % Invalid input detected at '^' marker.\r\n",
  }),
  ios('cisco_ftd', 'Cisco Firepower Threat Defense 7.2', {
    prompt: '> ',
    off: /^$/,
    invalid: 'Syntax error: unexpected\r\n',
  }),
  ios('cisco_s300', 'SW version 1.4.11.5', {
    prompt: 'access-s1#',
    pager: { text: 'More: <space>,  Quit: q or CTRL+Z, One line: <return> ', wipe: `\r${' '.repeat(54)}\r` },
    off: /^terminal datadump$/,
    quiet: /^terminal width/,
    invalid: '% Unrecognized command\r\n',
  }),
  ios('cisco_wlc', 'Cisco Controller 8.10', {
    prompt: '(wlc-one) >',
    inBand: true,
    off: /^config paging disable$/,
    pager: CR_PAGER('--More-- or (q)uit'),
    invalid: "Incorrect usage.  Use the '?' or <TAB> key.\r\n",
  }),
  ios('cisco_apic', 'APIC Version 5.2', { prompt: 'apic1# ', invalid: 'Error: Invalid argument\r\n' }),
  ios('cisco_viptela', 'viptela 20.6.3', {
    prompt: 'vedge-1# ',
    off: /^paginate false$/,
    quiet: /^screen-width \d+$/,
    invalid: 'syntax error: unknown argument\r\n',
  }),
  ios('cisco_staros', 'StarOS 21.28', {
    prompt: '[local]asr-5# ',
    invalid: 'Unknown command - "nonsense"\r\n',
  }),
  ios('arista_eos', 'Arista vEOS-lab 4.28', {
    prompt: 'spine-1(s1)#',
    exec: 'spine-1(s1)>',
    enable: 'enable',
    off: LENGTH_0,
    pager: ESC_PAGER('--More--'),
    invalid: '% Invalid input (at token 0)\r\n',
    echo: (prompt, line) => `${line.slice(0, 4)}\r${prompt}${line}`,
  }),
  ios('frr', 'FRRouting 8.4.4 (edge-r1)', {
    quiet: /^$/,
    pager: CR_PAGER('--More--'),
    invalid: '% Unknown command: nonsense\r\n',
  }),
  ios('adtran_os', 'ADTRAN, Inc. OS version R13.9.1.E', {
    prompt: 'branch-1#',
    exec: 'branch-1>',
    enable: 'enable',
    pager: CR_PAGER('--MORE--'),
    invalid: '        ^\r\n%Unrecognized command\r\n',
  }),
  ios('ipinfusion_ocnos', 'IP Infusion OcNOS 6.0', { prompt: 'oc-1#' }),
  ios('ruijie_os', 'Ruijie RGOS 12', { prompt: 'rj-1#' }),
  ios('zte_zxros', 'ZTE ZXROS V4', { prompt: 'zte-1#' }),
  ios('broadcom_icos', 'ICOS 3.2', { prompt: '(icos-1) #', exec: '(icos-1) >', enable: 'enable' }),
  ios('edgecore', 'Edgecore 1.0', { prompt: 'ec-1#' }),
  ios('dell_sonic', 'SONiC 4.1', { prompt: 'sonic-1# ' }),
  ios('allied_telesis_awplus', 'AlliedWare Plus 5.5', { prompt: 'awp-1#' }),
  ios('mellanox_mlnxos', 'MLNX-OS 3.10', {
    prompt: 'mlx-1 [standalone: master] # ',
    off: /^no cli session paging enable$/,
    quiet: /^terminal length 999$/,
    pager: ESC_PAGER('lines 1-24'),
    invalid: '% Unrecognized command "nonsense".\r\n',
  }),
  ios('a10', 'Advanced Core OS 5.2', {
    prompt: 'slb-1-Active#',
    exec: 'slb-1-Active>',
    enable: 'enable',
    quiet: /^terminal width 0$/,
  }),
  ios('mrv_optiswitch', 'OptiSwitch 904', {
    prompt: 'mrv-1#',
    off: /^no cli-paging$/,
    invalid: '% Unknown command.\r\n',
  }),
  {
    device_type: 'juniper_junos',
    prompt: 'svc@mx-1> ',
    above: '{master:0}',
    motd: '--- JUNOS 21.4R3 built\r\n',
    landing: { prompt: 'svc@mx-1% ', command: 'cli' },
    pager: CR_PAGER('---(more 45%)---'),
    off: /^set cli screen-length 0$/,
    quiet: /^set cli /,
    version: 'JUNOS Software Release [21.4R3]',
    invalid: '                ^\r\nunknown command.\r\n',
  },
  {
    device_type: 'juniper',
    prompt: 'svc@srx-1> ',
    pager: CR_PAGER('---(more)---'),
    off: /^set cli screen-length 0$/,
    quiet: /^set cli /,
    version: 'Junos: 22.2R1',
    invalid: 'syntax error, expecting <command>.\r\n',
  },
  {
    device_type: 'nokia_sros',
    prompt: 'A:admin@pe-1# ',
    above: '[/]',
    pager: CR_PAGER('Press any key to continue (Q to quit)'),
    off: /^environment more false$/,
    quiet: /^environment /,
    version: 'TiMOS-C-22.10.R1 both/x86_64 Nokia 7750',
    invalid: 'MINOR: MGMT_CORE #2201: Unknown element\r\n',
  },
  {
    device_type: 'alcatel_sros',
    prompt: '*A:pe-2# ',
    pager: CR_PAGER('Press any key to continue (Q to quit)'),
    off: /^environment no more$/,
    version: 'TiMOS-C-19.10.R5 cpm/hops64',
    invalid: 'Error: Bad command.\r\n',
  },
  {
    device_type: 'nokia_srl',
    prompt: 'A:leaf-7# ',
    above: '--{ running }--[  ]--',
    off: /^$/,
    pager: CR_PAGER('--More--'),
    quiet: /^environment /,
    version: 'SR Linux v22.11',
    invalid: "Error: Unknown token 'nonsense'\r\n",
  },
  ...(['huawei', 'huawei_vrp', 'huawei_vrpv8'] as const).map(
    (device_type, index): Script => ({
      device_type,
      prompt: index === 1 ? 'HRP_M<fw-h1>' : '<core-h1>',
      asks: [{ text: 'The password needs to be changed. Change now? [Y/N]:', answer: /^[Nn]/ }],
      pager: {
        text: '  ---- More ----',
        wipe: '\u001b[42D                                          \u001b[42D',
      },
      off: /^screen-length 0 temporary$/,
      version: 'Huawei Versatile Routing Platform VRP',
      invalid: "Error: Unrecognized command found at '^' position.\r\n",
    }),
  ),
  ...(['hp_comware', 'h3c'] as const).map(
    (device_type): Script => ({
      device_type,
      prompt: '<sw-c1>',
      asks: [{ text: 'Press Y or ENTER to continue, N to exit.', answer: /^$|^y/i }],
      pager: { text: '---- More ----', wipe: '\r              \r' },
      off: /^screen-length disable$/,
      version: 'H3C Comware Software, Version 7.1',
      invalid: " % Unrecognized command found at '^' position.\r\n",
    }),
  ),
  ...(['hp_procurve', 'aruba_osswitch'] as const).map(
    (device_type): Script => ({
      device_type,
      prompt: '\u001b[24;1H\u001b[2K\u001b[24;1Haccess-p1# \u001b[24;1H\u001b[24;12H\u001b[?25h',
      asks: [{ text: 'Press any key to continue', answer: /^/ }],
      pager: {
        text: '-- MORE --, next page: Space, next line: Enter, quit: Control-C',
        wipe: '\r\u001b[2K\r',
      },
      off: /^no page$/,
      quiet: /^terminal width \d+$/,
      version: 'ProCurve J9726A revision WB.16',
      invalid: 'Invalid input: nonsense\r\n',
    }),
  ),
  {
    device_type: 'aruba_os',
    prompt: '(ctl-1) *#',
    exec: '(ctl-1) *>',
    enable: 'enable',
    enter: '\r',
    pager: CR_PAGER('--More-- (q) quit (u) pageup (/) search (n) repeat'),
    off: /^no paging$/,
    version: 'ArubaOS 8.10',
    invalid: "                ^\r\n% Invalid input detected at '^' marker.\r\n",
  },
  {
    device_type: 'aruba_aoscx',
    prompt: 'cx-1# ',
    enter: '\r',
    pager: ESC_PAGER('-- MORE --, next page: Space, next line: Enter, quit: q'),
    off: /^no page$/,
    version: 'ArubaOS-CX FL.10.10',
    invalid: 'Invalid input: nonsense\r\n',
  },
  ios('dell_os10', 'Dell SmartFabric OS10', {
    prompt: 'd10-1# ',
    pager: ESC_PAGER('--More--'),
    quiet: /^$/,
    invalid: '% Error: Unrecognized command.\r\n',
  }),
  ...(['dell_os9', 'dell_force10', 'dell_os6'] as const).map((device_type) =>
    ios(device_type, 'Dell Real Time Operating System', {
      prompt: 'd9-1#',
      exec: 'd9-1>',
      enable: 'enable',
      asks: [{ text: 'Do you acknowledge this banner? [y/n]:', answer: /^y/ }],
      pager: CR_PAGER(' --More-- '),
      quiet: /^$/,
      invalid: '% Error: Invalid input at "^" marker.\r\n',
    }),
  ),
  ios('dell_powerconnect', 'PowerConnect 5548', {
    prompt: 'pc-1#',
    inBand: true,
    off: /^terminal datadump$/,
    invalid: '% Unrecognized command\r\n',
  }),
  {
    device_type: 'extreme_exos',
    prompt: '* sw-x1.%n # ',
    counts: true,
    pager: CR_PAGER('Press <SPACE> to continue or <Q> to quit:'),
    off: /^disable clipaging$/,
    quiet: /^disable cli prompting$/,
    version: 'ExtremeXOS version 31.7',
    invalid: "%% Invalid input detected at '^' marker.\r\n",
  },
  ...(['ruckus_fastiron', 'brocade_fastiron', 'brocade_netiron'] as const).map(
    (device_type): Script => ({
      device_type,
      prompt: 'SSH@icx-1#',
      exec: 'SSH@icx-1>',
      enable: 'enable',
      pager: CR_PAGER('--More--, next page: Space, next line: Return key, quit: Control-c'),
      off: /^skip-page-display$/,
      version: 'Ruckus FastIron 08.0.95',
      invalid: 'Invalid input -> nonsense\r\n',
    }),
  ),
  {
    device_type: 'alcatel_aos',
    prompt: 'omni-1-> ',
    version: 'Alcatel-Lucent OS6860',
    invalid: 'ERROR: Invalid entry: "nonsense"\r\n',
  },
  {
    device_type: 'ciena_saos',
    prompt: 'metro-1*> ',
    pager: CR_PAGER('--More--'),
    off: /^system shell session set more off$/,
    version: 'SAOS 6.21',
    invalid: "SHELL PARSER FAILURE: 'nonsense'\r\n",
  },
  {
    device_type: 'fortinet',
    prompt: 'fgt-1 (global) # ',
    asks: [{ text: "(Press 'a' to accept): ", answer: /^a/ }],
    pager: CR_PAGER('--More-- '),
    version: 'FortiGate-VM64 v7.2.5',
    invalid: "command parse error before 'nonsense'\r\nCommand fail. Return code -61\r\n",
  },
  {
    device_type: 'paloalto_panos',
    prompt: 'svc@pa-1(active)> ',
    pager: ESC_PAGER('lines 1-24 '),
    off: /^set cli pager off$/,
    quiet: /^set cli /,
    version: 'sw-version: 10.2.4',
    invalid: 'Unknown command: nonsense\r\n',
  },
  {
    device_type: 'mikrotik_routeros',
    prompt: '[svc@mt-1] > ',
    enter: '\r\n',
    pager: CR_PAGER('-- [Q quit|D dump|down]'),
    version: 'RouterOS 7.10',
    invalid: 'bad command name nonsense (line 1 column 1)\r\n',
    echo: (prompt, line) => `${line}\r${prompt}${line}`,
  },
  ...(['f5_tmsh', 'f5_ltm'] as const).map(
    (device_type): Script => ({
      device_type,
      prompt: 'svc@(bigip-1)(cfg-sync Standalone)(Active)(/Common)(tmos)# ',
      landing: { prompt: '[svc@bigip-1:Active:Standalone] ~ # ', command: 'tmsh' },
      pager: ESC_PAGER('---(less 24%)---'),
      version: 'Sys::Version BIG-IP 16.1',
      invalid: 'Syntax Error: unexpected argument "nonsense"\r\n',
    }),
  ),
  {
    device_type: 'checkpoint_gaia',
    prompt: 'cp-gw1> ',
    pager: CR_PAGER('-- More --'),
    off: /^set clienv rows 0$/,
    version: 'Product version Check Point Gaia R81.20',
    invalid: "CLINFR0329  Invalid command:'nonsense'.\r\n",
  },
  ...(['vyos', 'ubiquiti_edgerouter'] as const).map(
    (device_type): Script => ({
      device_type,
      prompt: '\u001b]0;svc@vy-1\u0007\u001b[?2004hsvc@vy-1:~$ ',
      pager: ESC_PAGER(':'),
      off: /^(?:set )?terminal length 0$/,
      quiet: /^(?:set )?terminal /,
      version: 'Version: VyOS 1.4',
      invalid: '  Invalid command: [nonsense]\r\n',
    }),
  ),
  ...(['linux', 'cumulus_linux', 'f5_linux'] as const).map(
    (device_type): Script => ({
      device_type,
      prompt: '\u001b]0;svc@srv-1: ~\u0007\u001b[01;32msvc@srv-1\u001b[00m:\u001b[01;34m~\u001b[00m$ ',
      version: 'Linux srv-1 6.1.0',
      invalid: '-bash: nonsense: command not found\r\n',
    }),
  ),
  {
    device_type: 'bird',
    prompt: 'bird> ',
    pager: { text: '--More--', wipe: `${'\0'.repeat(12)}\r        \r` },
    version: 'BIRD 2.0.12',
    invalid: "No such command. Press `?' for help.\r\n",
  },
  {
    device_type: 'generic',
    prompt: 'thing-1% ',
    pager: IOS_PAGER,
    version: 'Thing 1.0',
    invalid: 'Unknown command\r\n',
  },
];
