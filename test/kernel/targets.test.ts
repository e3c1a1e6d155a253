import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { cpuTime } from '../helpers/cpu-time.ts';

const LOOPBACK = [
  '127.0.0.1',
  '127.255.1.2',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
];
const LINK_LOCAL = ['169.254.1.1', 'fe80::1', '::ffff:169.254.1.1'];
const METADATA = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  '192.0.0.192',
];
const NOWHERE = ['0.0.0.0', '0.1.2.3', '::', '224.0.0.1', '255.255.255.255', 'ff02::1', '::ffff:0.0.0.0'];

test.each([...LOOPBACK, ...LINK_LOCAL])('%s is denied unless the operator allows it', (host) => {
  expect(hostFault(host, false)).not.toBeNull();
  expect(hostFault(host, true)).toBeNull();
});

test.each([...METADATA, ...NOWHERE])('%s is denied whatever the operator says', (host) => {
  expect(hostFault(host, false)).not.toBeNull();
  expect(hostFault(host, true)).not.toBeNull();
});

test.each([
  '192.0.2.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '2001:db8::1',
  'fd00::1',
  'edge-1',
  'edge-1.example.net.',
  'EDGE_1.lab',
])('%s is allowed as a target', (host) => {
  expect(hostFault(host, false)).toBeNull();
});

test.each([
  '',
  ' ',
  'a b',
  'a..b',
  '-a',
  'a-',
  'http://a',
  'a:22',
  'a/b',
  'a@b',
  '1',
  '127.1',
  '0177.0.0.1',
  '0x7f000001',
  'a.1',
  'x'.repeat(64),
  `${'x.'.repeat(140)}y`,
  'é.example.net',
])('%j is neither an address nor a name', (host) => {
  expect(hostFault(host, true)).toContain('neither');
});

test('every text is judged quickly, and no address of this machine passes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[a-z.-]{0,300}$/)), (host) => {
      const started = cpuTime();
      hostFault(host, false);
      expect(cpuTime() - started).toBeLessThan(500);
    }),
  );
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c]) => {
      const hex = `7f${a.toString(16).padStart(2, '0')}:${((b << 8) | c).toString(16)}`;
      for (const host of [`127.${a}.${b}.${c}`, `::ffff:127.${a}.${b}.${c}`, `::ffff:${hex}`]) {
        expect(hostFault(host, false), host).not.toBeNull();
      }
    }),
  );
});
