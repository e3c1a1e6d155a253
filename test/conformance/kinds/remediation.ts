import { readIndented } from '#server/domains/golden-config/dialects/indent.ts';
import type { ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import { type Dialect, dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import type { Command } from '#server/domains/golden-config/remediation/commands/difference.ts';
import { remediate } from '#server/domains/golden-config/remediation/remediate.ts';
import type { Kind } from '../case.ts';

/** The peer's drivers, by our dialects. */
const DRIVERS: Record<string, string> = {
  HConfigDriverCiscoIOS: 'cisco-ios',
  HConfigDriverCiscoIOSXR: 'cisco-ios-xr',
  HConfigDriverCiscoNXOS: 'cisco-nx',
  HConfigDriverAristaEOS: 'arista-eos',
  HConfigDriverFortinetFortiOS: 'fortinet-fortios',
  HConfigDriverHPComware5: 'hp-comware',
  HConfigDriverHPProcurve: 'hp-procurve',
  HConfigDriverHuaweiVrp: 'huawei-vrp',
  HConfigDriverJuniperJUNOS: 'juniper-junos',
  HConfigDriverNokiaSRL: 'nokia-srl',
  HConfigDriverVYOS: 'vyatta-vyos',
};

/** What the peer knows no system of: commands of Cisco's platform. */
const GENERIC: Dialect = { ...need('cisco-asa'), name: 'generic', comments: [], blocks: [] };

function need(name: string): Dialect {
  const dialect = dialectOf(name);
  if (!dialect) throw new Error(`no dialect ${name}`);
  return dialect;
}

/**
 * What turns one configuration into the other. The peer recorded its trees, each level two blanks: they are read so,
 * whatever the system's own form.
 */
export const remediation: Kind = ({ os, given }) => {
  const { running, generated } = given as { running: unknown; generated: unknown };
  const name = DRIVERS[os];
  const dialect = name === undefined ? GENERIC : need(name);
  const commands = remediate(recorded(running), recorded(generated), dialect);
  const lines = commands.flatMap((one) => printed(one, 0));
  return typeof running === 'string' ? lines.join('\n') : lines;
};

const TREE: Dialect = { ...GENERIC, structure: 'indent', volatile: [], multilineQuotes: false };

function recorded(given: unknown): ParsedConfig {
  const text = Array.isArray(given) ? given.join('\n') : String(given);
  return readIndented(text, TREE);
}

const printed = ({ text, below }: Command, depth: number): string[] => [
  `${'  '.repeat(depth)}${text}`,
  ...below.flatMap((one) => printed(one, depth + 1)),
];
