import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, IOS_LIKE } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

/** Switches on Broadcom's FASTPATH: they print the lines of a section at the very left, and `exit` behind them. */
export const broadcomIcos: PlatformRecord = {
  name: 'broadcom-icos',
  title: 'Broadcom ICOS and FASTPATH',
  aliases: ['fastpath', 'dell-os6', 'dell-powerconnect', 'ubiquiti-edgeswitch', 'netgear-prosafe'],
  text: {
    structure: 'indent',
    lexRules: lines('!', QUOTED),
    // What opens the mode in which all but `vlan database` is entered.
    volatile: ['configure '],
    closers: ['exit'],
    sections: {
      top: new RegExp(
        [
          '^(?:interface|line|vlan database|vlan(?= \\d)|router(?= (?:bgp|ospf|rip))|ipv6 router(?= ospf)|ip vrf(?! forwarding)',
          '(?:class|policy)-map|route-map|(?:arp|ip|ipv6|mac|management) access-list|ip(?:v6)? dhcp pool',
          '(?:aaa|radius) server(?= (?:acct|auth|radius) )|tacacs-server host|logging(?= "?\\d)|vpc domain',
          '(?:spanning-tree mst configuration|stack)$|link-dependency group)',
        ].join('|'),
      ),
      inner: /^(?:class|address-family|template peer|vrf)(?= |$)/,
      closes: 'exit',
      mode: 'configure',
    },
  },
  commands: { ...CISCO_LIKE, exit: { text: 'exit', everywhere: true } },
  deviceTypes: [
    {
      device_type: 'broadcom_icos',
      extends: 'cisco_ios',
      prompts: ['\\({host}\\) ?(?:\\([^)]*\\))? ?[>#]', '{host}(?:\\([^)]*\\))?[>#]'],
      detect: { words: ['ICOS'] },
      syntax: IOS_LIKE,
    },
    {
      device_type: 'dell_os6',
      aliases: ['dellos6', 'os6'],
      description: 'Dell OS6',
      extends: 'dell_os9',
      detect: {},
    },
    {
      device_type: 'dell_powerconnect',
      description: 'Dell PowerConnect',
      extends: 'dell_os9',
      prepare: ['terminal datadump'],
      detect: { words: ['PowerConnect'] },
    },
    {
      device_type: 'ubiquiti_edgeswitch',
      aliases: ['edgeswitch'],
      description: 'Ubiquiti EdgeSwitch',
      extends: 'broadcom_icos',
      detect: { words: ['EdgeSwitch'] },
    },
    {
      device_type: 'netgear_prosafe',
      description: 'Netgear ProSAFE',
      extends: 'broadcom_icos',
      detect: {},
    },
  ],
};
