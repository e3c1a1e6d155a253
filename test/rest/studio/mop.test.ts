import { expect, test } from 'vitest';
import { unique } from '../../helpers/procedures.ts';
import { openStudio } from '../../helpers/studio.ts';

/* What only the wire of command templates and analytic templates has; test/procedures/mop.test.ts tests what they do. */

const { send, done } = await openStudio();

const command = () => ({ name: unique('IOS / precheck'), os: 'cisco-ios', passRule: true, commands: [] });
const analytic = () => ({ name: unique('Before & after'), os: '', passRule: true, prepostCommands: [] });

test.each([
  ['Template', 'listATemplate', 'mop', command],
  ['AnalyticTemplate', 'listAnAnalyticTemplate', 'template', analytic],
] as const)(
  'an update of a %s is a whole replacement, by POST and by PUT',
  async (kind, list, wrapper, make) => {
    const given = make();
    await done('POST', `/mop/create${kind}`, { [wrapper]: given });
    const name = encodeURIComponent(given.name);
    for (const oddity of ['POST', 'PUT']) {
      await done(oddity, `/mop/update${kind}/${name}`, { [wrapper]: { ...given, oddity } });
      expect(await done('GET', `/mop/${list}/${name}`)).toMatchObject([{ oddity }]);
    }
  },
);

test('only the import of the analytic spelling answers 201; its export reads the spelling as well', async () => {
  const statuses = [];
  for (const type of ['templates', 'analytics', 'analytic']) {
    const template = type === 'templates' ? command() : analytic();
    statuses.push((await send('POST', '/mop/import', { type, template })).status);
    const options = { name: template.name };
    expect((await send('POST', '/mop/export', { options, type })).json).toMatchObject(template);
  }
  expect(statuses).toEqual([200, 200, 201]);
});

test('an analytic template may also be the body itself', async () => {
  const template = analytic();
  expect(await done('POST', '/mop/createAnalyticTemplate', template)).toMatchObject({
    insertedIds: { '0': template.name },
  });
  const path = `/mop/updateAnalyticTemplate/${encodeURIComponent(template.name)}`;
  expect((await send('PUT', path, { ...template, os: 'ios' })).status).toBe(200);
});
