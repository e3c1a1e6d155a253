import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitSecrets, unchangedSecrets } from '#server/domains/network/inventory/host-secrets.ts';

let sealed = 0;
const vault = { seal: (plain: string) => `sealed:v1:${sealed++}:${plain}` };
const row = ['gateway_hosts', 'cli/core'] as const;

const document = fc.dictionary(
  fc.constantFrom('password', 'privateKey', 'name', 'tls', 'tags', 'apiToken'),
  fc.oneof(
    fc.constantFrom('', null, 5, true),
    fc.string({ minLength: 1 }),
    fc.dictionary(fc.constantFrom('key', 'ca', 'password'), fc.string()),
    fc.array(fc.string(), { maxLength: 2 }),
  ),
);

test('a document that is sent back as it was shown keeps every secret and changes nothing', () => {
  fc.assert(
    fc.property(document, (given) => {
      const first = splitSecrets(given, undefined, vault, row);
      const again = splitSecrets(first.document, first, vault, row);
      expect(again.document).toEqual(first.document);
      expect(again.secrets).toEqual(first.secrets);
      expect(unchangedSecrets(again.secrets, first.secrets)).toHaveLength(Object.keys(first.secrets).length);
    }),
  );
});

test('the document contains no secret', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), (text) => {
      const secret = `s3cret${text}`;
      const { document: shown } = splitSecrets(
        {
          password: secret,
          tls: { key: secret },
          list: [{ name: 'a', token: secret }],
          deep: { myApiKey: [secret] },
        },
        undefined,
        vault,
        row,
      );
      expect(JSON.stringify(shown)).not.toContain('s3cret');
    }),
  );
});

test('a new secret replaces the stored one, null and the empty text clear it, and a mask without a stored secret stays unset', () => {
  const stored = splitSecrets({ password: 'a', privateKey: 'b', tls: { key: 'c' } }, undefined, vault, row);
  const next = splitSecrets(
    { password: 'new', privateKey: null, tls: { key: '' }, apiKey: '********' },
    stored,
    vault,
    row,
  );
  expect(next.document).toEqual({ password: '********', privateKey: null, tls: { key: '' }, apiKey: '' });
  expect(Object.keys(next.secrets)).toEqual(['["password"]']);
  expect(next.unset).toEqual(['apiKey']);
  expect(unchangedSecrets(next.secrets, stored.secrets)).toEqual([]);
});
