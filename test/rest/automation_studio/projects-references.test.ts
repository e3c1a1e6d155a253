import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import { asset, childJob, EVERY_KIND, task, workflow } from '../../helpers/documents/assets.ts';
import { openStudio } from '../../helpers/documents/projects.ts';

const { create, done, store, service, db } = await openStudio();

type Known = { kind: string; id: string; doc: Record<string, unknown> & { name: string } };

/** Every asset there is, and every automation and trigger, straight from the tables. */
async function everything(): Promise<Known[]> {
  const tables = [...EVERY_KIND.map((kind) => [kind, tableOf(kind)] as const)];
  const found: Known[] = [];
  for (const [kind, table] of tables) {
    for (const { id, doc } of await rows<{ id: string; doc: string }>(
      db,
      sql`select id, doc::text as doc from ${table} order by id`,
    )) {
      found.push({ kind, id, doc: JSON.parse(doc) as Known['doc'] });
    }
  }
  for (const kind of ['automations', 'triggers']) {
    for (const { id, doc } of await rows<{ id: string; doc: string }>(
      db,
      sql`select id, doc::text as doc from ${sql.identifier(kind)} order by id`,
    )) {
      found.push({ kind, id, doc: JSON.parse(doc) as Known['doc'] });
    }
  }
  return found;
}

/** What a document says of itself. */
const OWN = new Set(['_id', 'id', 'name', 'namespace', 'actionId']);

/**
 * Every place of every document, whatever it is, whose text is the id or name of an asset: `document.path → asset`, each
 * called by the word in its name that no operation changes.
 */
function names(all: readonly Known[]): string[] {
  const word = (name: string) => name.replace(/^@[0-9a-f]{24}: /, '').replace(/ renamed$/, '');
  const assets = new Map<string, string>();
  for (const { kind, id, doc } of all.filter(
    (one) => one.kind !== 'automations' && one.kind !== 'triggers',
  )) {
    for (const key of [id, doc.name]) assets.set(key, `${kind} ${word(doc.name)}`);
  }
  const found: string[] = [];
  const walk = (value: unknown, at: string, top: boolean) => {
    if (typeof value === 'string') {
      const named = assets.get(value);
      if (named) found.push(`${at} → ${named}`);
    } else if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) walk(one, `${at}.${index}`, false);
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, one] of Object.entries(value)) {
        if (!(top && OWN.has(member))) walk(one, `${at}.${member}`, false);
      }
    }
  };
  for (const { kind, doc } of all) walk(doc, `${kind} ${word(doc.name)}`, true);
  return found.sort();
}

test('after moves, renames and moving out again, every place of every document still names what it named', async () => {
  const child = await store('workflow', workflow('Child'));
  const form = await store('jsonForm', asset('jsonForm', 'Form'));
  const turn = await store('transformation', asset('transformation', 'Turn'));
  const check = await store('mopCommandTemplate', asset('mopCommandTemplate', 'Check'));
  const compare = await store('mopAnalyticTemplate', asset('mopAnalyticTemplate', 'Compare'));
  const text = await store('template', asset('template', 'Text'));
  const parent = await store(
    'workflow',
    workflow(
      'Parent',
      [
        childJob('Child'),
        {
          ...childJob('Child'),
          variables: {
            incoming: { workflow: 'Child', loopType: 'parallel', data_array: [], transformation: turn },
          },
        },
        task('ShowJSONForm', { formId: form }),
        task('transformation', { tr_id: turn, variableMap: {} }),
        task('RunCommandTemplate', { template: 'Check' }),
        task('RunCommandTemplateSingleCommand', { templateId: 'Check' }),
        task('listATemplate', { name: 'Check' }),
        task('runAnalyticsTemplate', { analytic_template_name: 'Compare' }),
        task('listAnAnalyticTemplate', { name: 'Compare' }),
        task('renderJinjaTemplate', { name: 'Text' }),
        task('parseTemplate', { name: 'Text' }),
      ],
      { errorHandler: { type: 'workflow', name: 'Child' } },
    ),
  );
  const { json } = await service.send('admin', 'POST', '/operations-manager/automations', {
    name: 'Nightly',
    componentType: 'workflows',
    componentId: parent,
  });
  const automation = (json as { data: { _id: string } }).data;
  const made = await service.send('admin', 'POST', '/operations-manager/triggers', {
    name: 'By hand',
    type: 'manual',
    actionType: 'automations',
    actionId: automation._id,
    formId: form,
  });
  expect(made.status, made.text).toBe(200);
  const before = names(await everything());
  expect(before).toHaveLength(16);

  const components = [
    { type: 'workflow', reference: parent, folder: '/Main' },
    { type: 'workflow', reference: child },
    { type: 'jsonForm', reference: form },
    { type: 'transformation', reference: turn },
    { type: 'mopCommandTemplate', reference: check },
    { type: 'mopAnalyticTemplate', reference: compare },
    { type: 'template', reference: text },
  ];
  const project = await create('Walked', {}, 'admin');
  await done('POST', `/${project._id}/components/add`, { components, mode: 'move' }, 'admin');
  expect(names(await everything())).toEqual(before);

  const scope = `@${project._id}: `;
  const renamed = await service.send('admin', 'POST', '/workflow_builder/workflows/rename', {
    name: `${scope}Child`,
    newName: `${scope}Child renamed`,
  });
  expect(renamed.status, renamed.text).toBe(200);
  expect(names(await everything())).toEqual(before);

  for (const iid of [2, 5, 6, 7, 3, 4, 1]) {
    await done('DELETE', `/${project._id}/components/${iid}`, { options: { mode: 'move' } }, 'admin');
    expect(names(await everything())).toEqual(before);
  }

  // A copy names the copies, as often as the originals name each other; those are as they were.
  const second = await create('Copied', {}, 'admin');
  await done('POST', `/${second._id}/components/add`, { components, mode: 'copy' }, 'admin');
  const all = await everything();
  const isCopy = ({ doc }: Known) => doc.name.startsWith(`@${second._id}: `);
  expect(names(all.filter((one) => !isCopy(one)))).toEqual(before);
  const inside = before.filter((place) => place.startsWith('workflow '));
  expect(names(all.filter(isCopy))).toEqual(inside);
});
