import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutSecrets } from '#server/domains/network/gateway/command-secrets.ts';

test.each([
  ['username bob privilege 15 password 0 Lantern-1', 'username bob privilege 15 password ********'],
  ['enable secret 9 $9$abc', 'enable secret ********'],
  ['snmp-server community Lantern-2 RO', 'snmp-server community ********'],
  ['  key-string 7 0822455D0A16', '  key-string ********'],
  ['tacacs-server key 7 0822455D', 'tacacs-server key ********'],
  ['key Lantern-3', 'key ********'],
  ['set system login user bob authentication plain-text-password-value Lantern-4', /value \*{8}$/],
  ['set system root-authentication encrypted-password "$6$x"', /encrypted-password \*{8}$/],
  ['snmp-server user bob ops v3 auth sha Lantern-5 priv aes 128 Lantern-6', /auth sha \*{8}$/],
  ['neighbor 192.0.2.1 password=Lantern-7', 'neighbor 192.0.2.1 password=********'],
  ['set psksecret Lantern-8', 'set psksecret ********'],
  ['copy running-config scp://svc:Lantern-9@192.0.2.1/r1.cfg', /scp:\/\/svc:\*{8}@192.0.2.1\/r1.cfg$/],
  ['show file https://svc:Lant@ern/Lantern@files.example.net/a', /^show file https:\/\/svc:\*{8}@files/],
  ['copy ftp://me@corp:Lantern-9@192.0.2.1/a flash:', /ftp:\/\/me@corp:\*{8}@192.0.2.1\/a flash:$/],
  ['copy http://:Lantern-9@192.0.2.1/a http://b:Lantern-9@192.0.2.2/b', /http:\/\/b:\*{8}@192.0.2.2\/b$/],
])('what follows a word for a secret is masked: %s', (command, kept) => {
  if (typeof kept === 'string') expect(withoutSecrets(command)).toBe(kept);
  else expect(withoutSecrets(command)).toMatch(kept);
  expect(withoutSecrets(command)).not.toMatch(/Lantern|0822|\$[69]/);
});

test.each([
  'show version',
  'show running-config | include password',
  'show key chain',
  'key chain ospf',
  'crypto key generate rsa modulus 2048',
  'service password-encryption',
  'show nodes 3 modes x',
  'interface GigabitEthernet1',
  'bypass interface 3',
  'copy https://files.example.net:8443/image.bin flash:',
  'archive download-sw tftp://192.0.2.1/a',
  'copy scp://svc@192.0.2.1/a flash:',
])('a command that holds none stays as it is: %s', (command) => {
  expect(withoutSecrets(command)).toBe(command);
});

test('secrets of the call itself are masked wherever they occur, and long commands are cut', () => {
  expect(withoutSecrets('show log | include Open-Sesame.1', ['Open-Sesame.1'])).toBe(
    'show log | include ********',
  );
  expect(withoutSecrets(`echo ${'x'.repeat(5000)}`)).toHaveLength(1001);
});

test('a password in a URL is never kept, whatever its characters and wherever the URL occurs', () => {
  // What a shell or a device would take as one word.
  const word = fc
    .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
    .map((text) => text.replace(/\s/g, '~'));
  const name = fc.stringMatching(/^[A-Za-z0-9._@\\-]{0,12}$/);
  const scheme = fc.constantFrom('http', 'https', 'ftp', 'sftp', 'scp', 'ssh', 'svn+ssh', 'HTTPS');
  const before = fc.constantFrom(
    'copy ',
    'show file ',
    'copy running-config ',
    'request system software add ',
    '',
  );
  const after = fc.constantFrom('', ' flash:', '/r1.cfg', ':8443/a', '/a@b');
  fc.assert(
    fc.property(before, scheme, name, word, after, (start, kind, user, secret, rest) => {
      // Told apart from all else in the command.
      const password = `${secret}Lantern${secret}`;
      const command = `${start}${kind}://${user}:${password}@files.example.net${rest}`;
      const kept = withoutSecrets(command);
      expect(kept).not.toContain('Lantern');
      expect(kept).not.toContain(password);
      expect(kept.startsWith(`${start}${kind}://${user}:********`)).toBe(true);
    }),
  );
});
