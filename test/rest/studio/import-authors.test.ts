import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type { ExportedProject } from '#db/schemas/assets/project.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { realExports } from '../../helpers/documents/exported-projects.ts';
import { sampled } from '../../helpers/long.ts';
import { openStudio } from '../../helpers/studio.ts';

const { done, callerWith, send } = await openStudio();
const { caller } = await callerWith('admin');
const here = { _id: caller.id, username: caller.username, provenance: 'local' };

/** Somebody of another system, with an id there or without. */
const lee = { _id: newId(), username: 'lee@elsewhere', provenance: 'Okta', firstname: 'Lee' };
const { _id: _, ...nameless } = lee;
const OBJECT_ID = /^[0-9a-f]{24}$/;

type Doc = Record<string, unknown>;
const AUTHORS = ['createdBy', 'lastUpdatedBy', 'created_by', 'last_updated_by'];
const authorsOf = (doc: Doc | undefined) =>
  AUTHORS.flatMap((name) => (doc?.[name] === undefined ? [] : [doc[name]]));

const imported = (project: object) =>
  done<{ data: ExportedProject }>('POST', '/automation-studio/projects/import', { project });

const fileOf = (name: string, author: unknown) => {
  const components = [
    {
      type: 'workflow',
      document: asset('workflow', 'Flow', { created_by: author, last_updated_by: author }),
    },
    ...(['template', 'transformation', 'jsonForm', 'mopCommandTemplate', 'mopAnalyticTemplate'] as const).map(
      (type) => ({ type, document: asset(type, `A ${type}`, { createdBy: author, lastUpdatedBy: author }) }),
    ),
  ];
  return { _id: newId(), name, createdBy: author, lastUpdatedBy: author, components };
};

/** What lists of this system say of the authors of a project's assets. */
async function storedAuthors(projectId: string) {
  const own = ({ name }: Doc) => String(name).startsWith(`@${projectId}: `);
  const read = async (path: string, member?: string) => {
    const answer = await done<Doc | Doc[]>('GET', path);
    return ((member ? (answer as Doc)[member] : answer) as Doc[]).filter(own).flatMap(authorsOf);
  };
  return {
    ids: [
      ...(await read('/automation-studio/workflows?limit=1000', 'items')),
      ...(await read('/automation-studio/templates?limit=1000', 'items')),
      ...(await read('/transformations?limit=1000', 'results')),
    ],
    names: await read('/json-forms/forms'),
    mop: [...(await read('/mop/listTemplates')), ...(await read('/mop/listAnalyticTemplates'))],
  };
}

test('an author whom a file names in full is stored by the id of the account, forms by its username', async () => {
  for (const author of [here, { username: here.username, provenance: 'local' }, here.username]) {
    const { data } = await imported(fileOf(`Known ${newId()}`, author));
    const { ids, names } = await storedAuthors(String(data._id));
    expect(new Set(ids)).toEqual(new Set([here._id]));
    expect(names).toEqual([here.username, here.username]);
    expect(data.createdBy).toEqual({ ...here, missing: false });
  }
});

test('an author without an account here is an id as well, reported as missing, and exported as the file named him', async () => {
  for (const author of [lee, nameless]) {
    const { data } = await imported(fileOf(`Unknown ${newId()}`, author));
    const { ids, names } = await storedAuthors(String(data._id));
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(OBJECT_ID);
    expect(names).toEqual([lee.username, lee.username]);
    expect(data.createdBy).toMatchObject({ ...author, missing: true });
    const at = `/automation-studio/projects/${data._id}/export`;
    const { data: out } = await done<{ data: ExportedProject }>('GET', at);
    for (const { type, document } of out.components ?? []) {
      if (type === 'jsonForm' || type.startsWith('mop')) continue;
      expect(authorsOf(document)).toMatchObject([author, author]);
    }
  }
});

test('the same author is the same id in every file', async () => {
  const name = `Twice ${newId()}`;
  const workflow = (title: string) => asset('workflow', title, { created_by: nameless });
  const one = await done<Doc>('POST', '/workflow_builder/import', { workflow: workflow(name) });
  const other = await done<Doc>('POST', '/workflow_builder/import', { workflow: workflow(`${name} b`) });
  expect(one.created_by).toMatch(OBJECT_ID);
  expect(other.created_by).toBe(one.created_by);
  expect(await done('POST', '/workflow_builder/export', { options: { name } })).toMatchObject({
    created_by: { ...nameless, _id: one.created_by, missing: true },
  });
});

test('the stamps of command and analytic templates are those of the import, whatever the file says', async () => {
  const before = Date.now();
  const old = { created: 5, createdBy: null, lastUpdated: 6, lastUpdatedBy: 'lee@elsewhere' };
  const components = (['mopCommandTemplate', 'mopAnalyticTemplate'] as const).map((type) => ({
    type,
    document: asset(type, `Stamped ${type}`, old),
  }));
  const project = { _id: newId(), name: `Stamps ${newId()}`, components };
  await imported(project);
  for (const list of ['listTemplates', 'listAnalyticTemplates']) {
    const all = await done<Doc[]>('GET', `/mop/${list}`);
    const one = all.find(({ name }) => String(name).startsWith(`@${project._id}: `));
    expect(one).toMatchObject({ createdBy: caller.username, lastUpdatedBy: caller.username });
    expect(one?.created).toBeGreaterThanOrEqual(before);
    expect(one?.lastUpdated).toBeGreaterThanOrEqual(before);
  }
});

test.skipIf(realExports().length === 0)(
  'real project files come in with authors in stored form, and no template without one',
  async () => {
    for (const { project } of sampled(realExports(), 3)) {
      const answer = await send('POST', '/automation-studio/projects/import', { project });
      expect(answer.status, answer.text).toBe(200);
      const { ids, names, mop } = await storedAuthors(String(project._id));
      for (const id of ids) if (id !== null) expect(id).toMatch(OBJECT_ID);
      for (const name of names) expect(name).toEqual(expect.any(String));
      for (const name of mop) expect(name).toBe(caller.username);
    }
  },
);
