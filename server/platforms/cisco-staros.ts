import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE, LENGTH_0, TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const ciscoStaros: PlatformRecord = {
  name: 'cisco-staros',
  title: 'Cisco StarOS',
  aliases: ['staros'],
  orchestratorNames: /staros/,
  text: {
    structure: 'indent',
    lexRules: lines('#', QUOTED),
    comments: ['#'],
    closers: ['exit', '#exit'],
    step: 2,
    topLevel: ['config', 'end'],
  },
  commands: { exit: { text: 'exit', everywhere: true } },
  deviceTypes: [
    {
      device_type: 'cisco_staros',
      prompts: ['\\[[^\\]]{1,40}\\]{host}[>#]', '\\[[^\\]]{1,40}\\]{host}\\([^)]*\\)#'],
      enable: 'enable',
      prepare: LENGTH_0,
      failures: ['Unknown command', 'Incomplete command', 'Failure:', '% ?Invalid'],
      config: { ...TERMINAL, show: 'show configuration', enter: ['configure'] },
      syntax: IOS_LIKE,
    },
  ],
};
