import { describe, expect, test } from 'vitest';
import type { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { objectId, uuid } from '../../helpers/documents/assets.ts';
import { type ApiError, openStudio } from '../../helpers/documents/projects.ts';

/* Files that another system, an older version or a person wrote: what they leave unsaid, and what they say too much. */

const { done, exported, send } = await openStudio();

type Json = Record<string, unknown>;
type Imported = { data: Project; metadata: { failedComponents: Json[]; warnings: string[] } };

const importing = (project: Json, more: Json = {}) => done<Imported>('POST', '/import', { project, ...more });

const start = { name: 'workflow_start', groups: [] };
const end = { name: 'workflow_end', groups: [] };
const straight = { workflow_start: { workflow_end: { type: 'standard', state: 'success' } } };
const workflowOf = (name: string, tasks: Json = {}): Json => ({
  name,
  tasks: { workflow_start: start, workflow_end: end, ...tasks },
  transitions: straight,
});

/** A file of workflows, one for each name. */
const fileOf = (name: string, ...names: string[]) => ({
  _id: objectId(),
  name,
  components: names.map(
    (called, iid): Json => ({
      iid,
      type: 'workflow',
      reference: uuid(),
      folder: '/',
      document: workflowOf(called),
    }),
  ),
});

const placesOf = ({ components = [] }: Pick<Project, 'components'>) =>
  components.map(({ iid, folder }) => ({ iid, folder }));

describe('a project file of another system', () => {
  test('is imported whatever its own fields and numbers are, which have no meaning here', async () => {
    const file = {
      ...fileOf('Foreign members', 'One'),
      members: [{ type: 'account', reference: null, role: 'none', missing: true }],
      accessControl: 'unknown',
      componentIidIndex: null,
    };
    const { data } = await importing(file);
    expect(data.members).toHaveLength(1);
    expect(data.members?.[0]).toMatchObject({ type: 'account', role: 'owner', missing: false });
  });

  test('whose components have no numbers gets the next ones; those that have keep theirs', async () => {
    const file = fileOf('Numbers', 'One', 'Two', 'Three', 'Four');
    const numbers = [40, undefined, 7, undefined];
    const components = file.components.map((one, at) => ({ ...one, iid: numbers[at] }));
    const { data } = await importing({ ...file, components });
    expect(data.components?.map(({ iid }) => iid)).toEqual([40, 41, 7, 42]);
    expect(data.componentIidIndex).toBe(42);
  });

  test('whose components have no reference goes by the ids of their documents, or gets new ones', async () => {
    const [reported, own] = [uuid(), objectId()];
    const components = [
      { type: 'workflow', document: { ...workflowOf('Told'), _id: reported } },
      { type: 'jsonForm', document: { name: 'Form', id: own } },
      { type: 'mopCommandTemplate', document: { name: 'Check', commands: [] } },
      { type: 'workflow', document: workflowOf('Untold') },
    ];
    const { data } = await importing({ name: 'No references', components });
    const references = data.components?.map(({ reference }) => reference) ?? [];
    expect(references.slice(0, 3)).toEqual([reported, own, `@${data._id}: Check`]);
    expect(references[3]).toMatch(/^[0-9a-f]{8}-/);
    expect(data.components?.map(({ iid }) => iid)).toEqual([1, 2, 3, 4]);
  });

  test('with folders on its components alone shows them there, an empty tree beside them or not', async () => {
    for (const folders of [undefined, null, []]) {
      const file = fileOf(`Folders ${JSON.stringify(folders)}`, 'One', 'Two');
      const [one, two] = file.components.map((component, at) => ({
        ...component,
        folder: at ? '/A/B' : '/',
      }));
      const { data } = await importing({ ...file, folders, components: [one, two] });
      expect(placesOf(data)).toEqual([
        { iid: 0, folder: '/' },
        { iid: 1, folder: '/A/B' },
      ]);
    }
  });

  test('with nulls inside its workflows, where absence means the same, is imported, and its workflow runs', async () => {
    const task = {
      name: 'newVariable',
      app: 'WorkFlowEngine',
      type: 'operation',
      x: null,
      groups: null,
      iterations: null,
      actor: null,
      variables: { incoming: { name: 'kept', value: null }, outgoing: null, decorators: null },
    };
    const file = fileOf('Nulls inside', 'Nulls');
    const document = {
      ...workflowOf('Nulls', { a1: task, workflow_end: { ...end, variables: null, x: null } }),
      transitions: {
        workflow_start: { a1: { type: 'standard', state: 'success' } },
        a1: { workflow_end: { type: 'standard', state: 'success' } },
        workflow_end: null,
      },
    };
    const { data } = await importing({
      ...file,
      components: file.components.map((one) => ({ ...one, document })),
    });
    const out = await exported(data._id);
    const [{ document: kept } = {}] = out.components ?? [];
    const { tasks } = { ...kept } as { tasks: Record<string, Json> };
    // A null that is a value stays one.
    expect(tasks.a1).toMatchObject({ actor: null, variables: { incoming: { name: 'kept', value: null } } });
    expect(tasks.a1).not.toHaveProperty('groups');
    const again = await importing({ ...out, _id: objectId(), name: 'Nulls inside, again' });
    expect(again.metadata.failedComponents).toEqual([]);
  });

  test('with nulls inside the rules of a command template is imported as if they were absent', async () => {
    const rules = [{ rule: 'up', eval: 'contains', raw: null, result: null, flags: null, severity: null }];
    const document = { name: 'Check', commands: [{ command: 'show clock', passRule: null, rules }] };
    const { data } = await importing({
      name: 'Nulls in rules',
      components: [{ type: 'mopCommandTemplate', document }],
    });
    const [one] = (await exported(data._id)).components ?? [];
    expect(one?.document).toMatchObject({
      commands: [{ command: 'show clock', rules: [{ rule: 'up', eval: 'contains' }] }],
    });
    expect(JSON.stringify(one?.document)).not.toContain('null');
  });

  test('with a kind of component that is not known here is rejected by path, and imported without it in parts', async () => {
    const file = fileOf('Unknown kind', 'One');
    const agent = { iid: 9, type: 'agent', reference: 'agent-1', folder: '/', document: { name: 'Agent' } };
    const project = { ...file, components: [...file.components, agent] };
    const rejected = await send('POST', '/import', { project });
    expect(rejected.status).toBe(400);
    const { issues, data } = rejected.json as ApiError & { data: { failedComponents: Json[] } };
    expect(issues?.map(({ path }) => path)).toEqual([['project', 'components', 1, 'type']]);
    expect(data.failedComponents).toMatchObject([{ type: 'agent', iid: 9, name: 'Agent' }]);

    const { data: made, metadata } = await importing(project, { options: { partial: true } });
    expect(made.components?.map(({ iid }) => iid)).toEqual([0]);
    expect(metadata.failedComponents).toMatchObject([{ type: 'agent', reference: 'agent-1' }]);
  });

  test('is exported in the usual form, and imported again unchanged', async () => {
    const { members: _, ...file } = { ...fileOf('Round', 'One', 'Two'), members: 'x' };
    const components = file.components.map(({ iid: _iid, reference: _reference, ...one }) => one);
    const { data } = await importing({ ...file, components });
    const out = await exported(data._id);
    const elsewhere: ExportedProject = { ...out, _id: objectId(), name: 'Round, again' };
    const second = await importing(elsewhere as Json, { assignNewReferences: true });
    expect(placesOf(second.data)).toEqual(placesOf(out));
  });
});
