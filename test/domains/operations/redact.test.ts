import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSecretField,
  keepSecrets,
  MASK,
  PROFILE_PLACEHOLDERS,
  redact,
  secretAt,
} from '#server/kernel/secrets/redact.ts';

const seal = (plain: string) => `sealed(${plain})`;
const show = (document: Record<string, unknown>) => redact(document, PROFILE_PLACEHOLDERS);

describe('which fields are secret', () => {
  test.each([
    ['redisProps.password', 'password'],
    ['rabbitmq.passphrase', 'passphrase'],
    ['prebuiltProps.repoConfigs.@lab.credentials.token', 'token'],
    ['expressProps.express_https.passphrase', 'passphrase'],
    ['expressProps.express_https.key', 'password'],
    ['rabbitmq.keyPath', 'password'],
    ['custom.adminPassword', 'password'],
    ['custom.PASSWD', 'password'],
    ['custom.client_secret', 'password'],
    ['custom.x-api-key', 'token'],
    ['custom.apiKey', 'token'],
    ['custom.access_token', 'token'],
    ['custom.privateKey', 'password'],
    ['custom.private_key_pem', 'password'],
    ['custom.tls.key', 'password'],
    ['token', 'token'],
    ['tokenPassword', 'password'],
  ])('%s is one, shown as a %s', (path, kind) => {
    expect(secretAt(path.split('.'))).toBe(kind);
  });

  test.each([
    'id',
    'rabbitmq.certPath',
    'rabbitmq.caPath',
    'rabbitmq.username',
    'expressProps.express_https.cert',
    'expressProps.express_https.secureProtocol',
    'custom.key',
    'custom.keys',
    'custom.monkey',
    'custom.bypass',
    'prebuiltProps.repoConfigs.@token-team',
    'alarmProps.community',
  ])('%s is not secret', (path) => {
    expect(secretAt(path.split('.'))).toBeNull();
  });

  test('an index is no name', () => {
    expect(secretAt(['hosts', 0])).toBeNull();
  });
});

describe('fields of a query', () => {
  test.each(['redisProps.password', 'custom.token.value', 'custom.secrets.a.b', 'password'])(
    'the field %s is part of a secret',
    (field) => {
      expect(isSecretField(field)).toBe(true);
    },
  );
  test.each(['id', 'redisProps.username', 'prebuiltProps.repoConfigs.@token-team.hostname'])(
    'the field %s is not part of a secret',
    (field) => {
      expect(isSecretField(field)).toBe(false);
    },
  );
});

describe('what is shown', () => {
  test('each kind of secret has its own placeholder in a profile', () => {
    expect(
      show({ a: { password: 'x', passphrase: 'y', token: 'z', secret: 's', privateKey: 'k', apiKey: 'a' } }),
    ).toEqual({
      a: {
        password: '<PASSWORD>',
        passphrase: '<PASSPHRASE>',
        token: '<ACCESS_TOKEN>',
        secret: '<PASSWORD>',
        privateKey: '<PASSWORD>',
        apiKey: '<ACCESS_TOKEN>',
      },
    });
  });
  test('elsewhere all are masked alike', () => {
    expect(redact({ password: 'x', token: 'z' }, MASK)).toEqual({ password: '********', token: '********' });
  });
  test.each([
    ['an object', { user: 'u', deep: ['v'] }],
    ['a list', [['a'], 'b']],
    ['a number', 0],
    ['a text', 'x'],
  ])('a secret that is %s is shown as one placeholder', (_, token) => {
    expect(show({ token })).toEqual({ token: '<ACCESS_TOKEN>' });
  });
  test.each([[null], [''], [true], [false]])('%j says nothing worth hiding', (password) => {
    expect(show({ password })).toEqual({ password });
  });
  test('leaves values that are not secret unchanged, also in lists', () => {
    const document = { alarmProps: [{ ip: '192.0.2.1', community: 'public' }], n: null, e: {}, l: [] };
    expect(show(document)).toEqual(document);
  });
});

describe('what is stored', () => {
  test('a new secret is sealed as JSON', () => {
    const { document } = keepSecrets({ redisProps: { password: 'p', db: 1 } }, undefined, seal);
    expect(document).toEqual({ redisProps: { password: 'sealed("p")', db: 1 } });
  });
  test.each(['<PASSWORD>', '<PASSPHRASE>', '<ACCESS_TOKEN>', '********'])(
    '%s keeps the stored secret',
    (sent) => {
      const stored = { a: { password: 'sealed("p")' } };
      expect(keepSecrets({ a: { password: sent } }, stored, seal).document).toEqual(stored);
    },
  );
  test.each([[null], ['']])('%j clears the stored secret', (sent) => {
    const kept = keepSecrets({ a: { password: sent } }, { a: { password: 'sealed("p")' } }, seal);
    expect(kept).toEqual({ document: { a: { password: sent } }, unset: [], ambiguous: [] });
  });
  test('a secret that is not sent is gone: sections are replaced', () => {
    expect(keepSecrets({ a: { db: 1 } }, { a: { password: 'sealed("p")' } }, seal).document).toEqual({
      a: { db: 1 },
    });
  });
  test('a placeholder where nothing is stored stays unset, and is named', () => {
    expect(keepSecrets({ a: { token: '<ACCESS_TOKEN>' } }, undefined, seal)).toEqual({
      document: { a: { token: '' } },
      unset: [['a', 'token']],
      ambiguous: [],
    });
  });
  test('a placeholder for a secret that was cleared leaves it cleared', () => {
    expect(keepSecrets({ token: '<ACCESS_TOKEN>' }, { token: null }, seal)).toEqual({
      document: { token: null },
      unset: [],
      ambiguous: [],
    });
  });
  test('a text that looks sealed is sealed like any other', () => {
    expect(keepSecrets({ token: 'sealed:v1:AAAA' }, undefined, seal).document).toEqual({
      token: 'sealed("sealed:v1:AAAA")',
    });
  });
  test('a property that is undefined does not exist', () => {
    expect(keepSecrets({ a: undefined }, undefined, seal).document).toEqual({});
  });
});

describe('secrets in lists', () => {
  const stored = {
    peers: [
      { host: 'a', port: 1, password: 'sealed("A")' },
      { host: 'b', port: 1, password: 'sealed("B")' },
    ],
  };
  const shown = (host: string, more: object = {}) => ({ host, port: 1, password: '<PASSWORD>', ...more });
  const passwords = (peers: unknown[]) => {
    const { document, unset, ambiguous } = keepSecrets({ peers }, stored, seal);
    const kept = (document.peers as { password?: unknown }[]).map(({ password }) => password);
    return { kept, unset, ambiguous };
  };

  test('stay with their element when the list is reordered', () => {
    expect(passwords([shown('b'), shown('a')]).kept).toEqual(['sealed("B")', 'sealed("A")']);
  });
  test('stay with their element when another one is removed or added', () => {
    expect(passwords([shown('b')]).kept).toEqual(['sealed("B")']);
    expect(passwords([{ host: 'c', port: 1 }, shown('a')]).kept).toEqual([undefined, 'sealed("A")']);
  });
  test('stay with an element that is changed but keeps its name', () => {
    expect(passwords([shown('a', { port: 2 }), shown('b')]).kept).toEqual(['sealed("A")', 'sealed("B")']);
  });
  test('do not move to an element of another name', () => {
    const { kept, ambiguous } = passwords([shown('a'), shown('evil')]);
    expect(kept).toEqual(['sealed("A")', '']);
    expect(ambiguous).toEqual([['peers', 1, 'password']]);
  });
  test('of elements that look alike, the one at the same place is meant', () => {
    const twins = { peers: [{ password: 'sealed("A")' }, { password: 'sealed("B")' }] };
    const { document } = keepSecrets(
      { peers: [{ password: '<PASSWORD>' }, { password: '<PASSWORD>' }] },
      twins,
      seal,
    );
    expect(document).toEqual(twins);
  });
  test('are found in lists of lists', () => {
    const nested = { a: [[{ id: 'x', token: 'sealed("T")' }]] };
    const sent = { a: [[{ id: 'x', token: '<ACCESS_TOKEN>' }]] };
    expect(keepSecrets(sent, nested, seal).document).toEqual(nested);
  });
  test('a new list without stored secrets leaves them unset', () => {
    const { document, unset, ambiguous } = keepSecrets({ peers: [shown('z')] }, { peers: [] }, seal);
    expect(document).toEqual({ peers: [{ host: 'z', port: 1, password: '' }] });
    expect({ unset, ambiguous }).toEqual({ unset: [['peers', 0, 'password']], ambiguous: [] });
  });
});

describe('laws', () => {
  const name = fc.oneof(
    fc.constantFrom('password', 'token', 'apiKey', 'secret', 'keyPath', 'host', 'name', 'tls', 'key', 'list'),
    fc.string({ maxLength: 6 }).filter((text) => text !== '__proto__'),
  );
  const document = fc.dictionary(
    name,
    fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3 }),
      ),
    })).value,
    { maxKeys: 5 },
  );

  test('storing a masked document unchanged leaves the stored document unchanged', () => {
    fc.assert(
      fc.property(document, (sent) => {
        const stored = keepSecrets(sent, undefined, seal).document;
        expect(keepSecrets(show(stored), stored, seal)).toEqual({
          document: stored,
          unset: [],
          ambiguous: [],
        });
      }),
    );
  });
  test('showing hides all, so that showing again changes nothing', () => {
    fc.assert(
      fc.property(document, (sent) => {
        const shown = show(sent);
        expect(show(shown)).toEqual(shown);
        expect(show(keepSecrets(sent, undefined, seal).document)).toEqual(
          show(keepSecrets(shown, keepSecrets(sent, undefined, seal).document, seal).document),
        );
      }),
    );
  });
});
