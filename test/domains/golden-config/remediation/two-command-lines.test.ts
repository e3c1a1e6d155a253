import { expect, test } from 'vitest';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { compiledPlatform } from '#server/domains/golden-config/remediation/commands/compiled-platform.ts';
import { remediationPlanOf } from '#server/domains/golden-config/remediation/commands/remediation-plan.ts';
import { renderChange } from '#server/domains/golden-config/remediation/rendering.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { dialect } from './invented-device.ts';

const sros = dialect('nokia-sros');
const routeros = dialect('mikrotik-routeros');

function commands(of: typeof sros, before: string, after: string): string[] {
  const [from, to] = [parseConfig(before, of), parseConfig(after, of)];
  return renderChange(from, to, compiledPlatform(of, from)).text.split('\n');
}

test('SR OS between braces accepts absolute paths: settings are removed by name, sections as a whole', () => {
  const before = `configure {
    system {
        name "a"
        location "Rack 1"
        time {
            ntp {
                server 192.0.2.1 router-instance "Base" {
                    prefer true
                }
            }
        }
        dns {
            search [ "a.example" "b.example" ]
        }
        security {
            telnet-server true
        }
    }
}
`;
  const after = before
    .replace('name "a"', 'name "b"')
    .replace('        location "Rack 1"\n', '')
    .replace('192.0.2.1', '192.0.2.2')
    .replace(' "b.example"', '')
    .replace('            telnet-server true\n', '            ssh-server true\n');
  expect(commands(sros, before, after)).toEqual([
    'delete /configure system time ntp server 192.0.2.1 router-instance "Base"',
    'delete /configure system location',
    'delete /configure system dns search "b.example"',
    'delete /configure system security telnet-server',
    '/configure system name "b"',
    '/configure system time ntp server 192.0.2.2 router-instance "Base" prefer true',
    '/configure system security ssh-server true',
  ]);
  expect(commands(sros, after, before)).toContain('/configure system location "Rack 1"');
});

test('indices that SR OS maintains itself behind the configuration are never changed', () => {
  const config = 'configure {\n    system {\n        name "a"\n    }\n}\n';
  const indices = (index: number) =>
    `persistent-indices {\n    vrtr-if-id {\n        router-name "Base" vrtr-id 1 if-index ${index}\n    }\n}\n`;
  expect(commands(sros, config + indices(2), config.replace('"a"', '"b"') + indices(3))).toEqual([
    '/configure system name "b"',
  ]);
  expect(commands(sros, config + indices(2), config)).toEqual(['']);
});

test('SR OS in the classic form accepts nested lines, and `no` before lines to remove', () => {
  const before = 'configure\n    system\n        name "a"\n        contact "b"\n    exit\nexit\n';
  const after = before.replace('        contact "b"\n', '        location "c"\n');
  const said = commands(sros, before, after).map((line) => line.trim());
  expect(said).toEqual(expect.arrayContaining(['configure', 'system', 'no contact "b"', 'location "c"']));
});

test('SR OS shown flat accepts its lines as they are; no removal is proposed', () => {
  const before = '/configure system name "a"\n/configure system security telnet-server true\n';
  const after = `${before}/configure system location "c"\n`;
  expect(commands(sros, before, after)).toEqual(['/configure system location "c"']);
  expect(commands(sros, after, before)).toEqual(['# cannot be negated: /configure system location "c"']);
  const parsed = parseConfig(before, sros);
  const line = {
    id: '1',
    words: [{ type: 'literal', value: '/configure system security telnet-server true' }],
  };
  const program = compileRules(
    [{ id: 's', lines: [{ ...line, evalMode: 'disallowed', severity: 'error' } as never] }],
    {},
    sros,
  );
  const { changes, manual } = remediationPlanOf(program, parsed, compiledPlatform(sros, parsed));
  expect({ changes, reasons: manual.map(({ reason }) => reason) }).toEqual({
    changes: [],
    reasons: ['the command that removes the line is unknown'],
  });
});

test('RouterOS removes what it finds by its values, sets only what differs, and goes back', () => {
  const before = `/ip address
add address=192.0.2.1/24 comment="to a" interface=ether1
/ip service
set telnet disabled=no
set ssh address=192.0.2.0/24 port=2222
/system ntp client
set enabled=no
`;
  const after = `/ip address
add address=192.0.2.2/24 interface=ether1
/ip service
set ssh address=192.0.2.0/24 port=22
/system ntp client
set enabled=yes
`;
  expect(commands(routeros, before, after)).toEqual([
    '/ip address remove [ find address=192.0.2.1/24 comment="to a" interface=ether1 ]',
    '/ip service set telnet disabled=yes',
    '/ip address add address=192.0.2.2/24 interface=ether1',
    '/ip service set ssh port=22',
    '/system ntp client set enabled=yes',
  ]);
  expect(commands(routeros, after, before)).toContain('/ip service set telnet disabled=no');
});

test('RouterOS: an entry that equals another one, and a value without a known default, are left to the user', () => {
  const text = `/ip firewall nat
add action=accept chain=srcnat
add action=accept chain=srcnat protocol=icmp
/snmp
set contact=noc enabled=yes
`;
  const without = text
    .replace('add action=accept chain=srcnat\n', '')
    .replace('set contact=noc enabled=yes\n', '');
  expect(commands(routeros, text, without)).toEqual([
    '# cannot be negated: /ip firewall nat add action=accept chain=srcnat',
    '# cannot be negated: /snmp set contact=noc enabled=yes',
  ]);
});
