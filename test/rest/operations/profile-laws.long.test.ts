import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { PROFILE_PLACEHOLDERS, redact, secretAt } from '#server/kernel/secrets/redact.ts';
import { lawRuns } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const send = (method: string, path: string, body?: unknown) => service.send('admin', method, path, body);

type Fields = Record<string, unknown>;
type Exported = { profile: Fields };

let count = 0;
const nextId = () => {
  count += 1;
  return `p${count}`;
};

/** Names of fields that hold no secret, and that every store accepts. */
const plainName = fc
  .string({ unit: 'grapheme', maxLength: 8 })
  .filter((name) => name.isWellFormed() && !/__proto__|\0/.test(name) && !secretAt([name]) && name !== 'id');
const plainText = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));
const plainNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
);
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    plainText,
    plainNumber,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(plainName, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Values that nothing else in an answer could hold by chance. */
const mark = fc.oneof(
  fc.integer({ min: 100_000, max: 999_999 }).map((n) => `zq-${n}-secret-value`),
  fc.integer({ min: 10_000_000_000_000, max: 90_000_000_000_000 }),
);
const secretValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    mark,
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'password', 'list', 'x y'), tie('value'), { minKeys: 1, maxKeys: 2 }),
  ),
})).value;
const secretName = fc.constantFrom(
  'password',
  'Passwd',
  'pass-phrase',
  'client_secret',
  'TOKEN',
  'refreshToken',
  'apiKey',
  'x-api-key',
  'privateKey',
  'keyPath',
);

/** A document with secrets of any kind somewhere inside, beside what is none. */
const holding = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(secretName, secretValue, plainName, plain).map(([a, x, b, y]): unknown => ({ [b]: y, [a]: x })),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(plainName, tie('value'), { minKeys: 1, maxKeys: 2 }),
  ),
})).value;

/** Every mark in a document: all of them were put inside secrets. */
const marksIn = (document: unknown): string[] =>
  JSON.stringify(document).match(/zq-\d+-secret-value|\b\d{14}\b/g) ?? [];

/** A mark in a text by itself: the digits of a duration (`0.15000000000009095`) reveal no secret. */
const tells = (text: string, mark: string): boolean => new RegExp(`(?<![\\d.])${mark}(?!\\d)`).test(text);

/** All that the service said, logged and stored of profiles so far, as text. */
async function everythingTold(answers: { text: string }[]) {
  const stored = await rows<{ text: string }>(
    service.db,
    sql`select doc::text as text from profiles union all select doc::text from audit
        union all select doc::text from applications`,
  );
  return [...answers.map(({ text }) => text), ...service.logged, ...stored.map(({ text }) => text)].join(
    '\n',
  );
}

test('an import of an export keeps everything but the secrets', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(plainName, plain, { maxKeys: 4 }), holding, async (own, mixed) => {
      const [first, second] = [nextId(), nextId()];
      const sent = { own, mixed, alarmProps: [{ ip: '192.0.2.1', own }], redisProps: { password: 'x', own } };
      expect((await send('POST', '/profiles/import', { properties: { id: first, ...sent } })).status).toBe(
        200,
      );
      const exported = (await send('GET', `/profiles/${first}/export`)).json as Exported;
      expect(exported.profile).toMatchObject(plainParts(redact(sent, PROFILE_PLACEHOLDERS)));
      const again = { ...exported.profile, id: second };
      expect((await send('POST', '/profiles/import', { properties: again })).status).toBe(200);
      const back = (await send('GET', `/profiles/${second}/export`)).json as Exported;
      expect(back.profile).toEqual({ ...unset(exported.profile), id: second });
    }),
    lawRuns(60),
  );
});

/** As JSON says it: what is compared has been through it. */
const plainParts = (document: Fields): Fields => JSON.parse(JSON.stringify(document)) as Fields;

/** A document whose secrets are all unset. */
const unset = (profile: Fields): Fields => redact(profile, { password: '', passphrase: '', token: '' });

test('whatever a secret is, no answer, log line, audit row or stored row shows it', async () => {
  await fc.assert(
    fc.asyncProperty(holding, holding, async (before, after) => {
      const id = nextId();
      const properties = { id, before, tokens: before };
      const answers = [
        await send('POST', '/profiles', { properties }),
        await send('POST', '/profiles', { properties }),
        await send('PUT', `/profiles/${id}`, { properties: { before: after } }),
        await send('PUT', `/profiles/${id}`, {
          properties: { redisProps: { password: before, db: 'wrong' } },
        }),
        await send('PUT', `/profiles/${id}`, { properties: { id: 'other', own: before } }),
        await send('GET', `/profiles/${id}`),
        await send('GET', `/profiles/${id}/export`),
        await send('GET', `/profiles?equals=${id}&equalsField=id`),
        await send('PUT', `/profiles/${id}/active`),
        await send('PUT', '/profiles/default/active'),
        await send('PUT', '/applications/Profiles', { properties: { own: before } }),
        await send('PUT', '/applications/Profiles/properties', { properties: { own: after } }),
        await send('GET', '/applications'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 409, 200, 400, 400, ...Array(8).fill(200)]);
      const reported = await everythingTold(answers);
      const secrets = marksIn([before, after]);
      expect(secrets.length).toBeGreaterThan(1);
      expect(secrets.filter((secret) => tells(reported, secret))).toEqual([]);
    }),
    lawRuns(15),
  );
});
