import { beforeAll, expect, test } from 'vitest';
import { createAdmin } from '#server/domains/identity/rights/seed.service.ts';
import { ConfigError } from '#server/kernel/config.ts';
import { createPerson, sendAs, setSignInRules, signIn } from '../helpers/people.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
beforeAll(() => setSignInRules(service, null));

test.each([
  ['on the list', 'Passw0rd1234', 'common'],
  ['a common one in capitals with a year and a sign', 'PASSWORD2024!', 'common'],
  ['a common one twice', 'dragondragon', 'common'],
  ['a common one with digits around it', '123sunshine456', 'common'],
  ['one spelled with signs', 'P@$$w0rd!!!!', 'common'],
  ['the name of the product', 'Switchyard2026!', 'common'],
  ['one character again and again', 'aaaaaaaaaaaaaa', 'common'],
  ['the digits in order', '345678901234567', 'sequence'],
])('a new password that is %s is rejected, and the answer says why', async (_, password, why) => {
  const answer = await service.send('admin', 'POST', '/authorization/accounts', {
    account: { username: `new-${Math.random()}`, password },
  });
  expect(answer).toMatchObject({ status: 400, json: { issues: [{ path: ['account', 'password'] }] } });
  expect((answer.json as { message: string }).message).toContain(why);
});

test('a password made of the account’s name is rejected when it is set and when it is changed', async () => {
  const username = 'harbour-crane';
  for (const password of ['Harbour-Crane', 'harbour-crane1!', 'harbour-crane-xyz', 'harbourcrane2026']) {
    const made = await service.send('admin', 'POST', '/authorization/accounts', {
      account: { username, password },
    });
    expect(made.status, password).toBe(400);
    expect(made.text).toContain('account name');
  }
  const person = await createPerson(service);
  const token = await signIn(service, person);
  const changed = await sendAs(service, token, 'PUT', `/authorization/accounts/${person.id}/password`, {
    newPassword: `${person.username}!`,
    currentPassword: person.password,
  });
  expect(changed).toMatchObject({ status: 400, json: { issues: [{ path: ['newPassword'] }] } });
});

test.each([
  'correct horse battery staple',
  'seven wet umbrellas',
  'h7#kQ2!vZx9L',
  '83920174652938x',
  'čeština je krásná',
])('the password %s is accepted', async (password) => {
  const username = `fine-${Math.random()}`;
  const answer = await service.send('admin', 'POST', '/authorization/accounts', {
    account: { username, password },
  });
  expect(answer.status, answer.text).toBe(200);
});

test('ADMIN_PASSWORD is held to the same list', async () => {
  const { db } = await openTestDatabase();
  await expect(createAdmin(db, 'administrator1')).rejects.toThrow(ConfigError);
  await expect(createAdmin(db, 'administrator1')).rejects.toThrow(/ADMIN_PASSWORD is a common password/);
});
