import { describe, expect, test } from 'vitest';
import { isLong } from '../../helpers/long.ts';
import { type Answer, openService } from '../../helpers/service.ts';

const { send } = await openService();

type Json = Record<string, unknown>;
/** Where a document is, and what it was called when it was made. */
type Made = { path: string; id: string; name: string };
type Request = [method: string, path: string, body?: unknown];

type Kind = {
  make: (name: string) => Request;
  /** Its id, or what its path is made of, in the answer to `make`; absent: its name. */
  idOf?: (body: never) => string;
  read: (made: Made) => Request;
  /** The document in the answer to `read`. */
  docOf?: (body: never) => Json;
  /** The field of `read` that holds the stamp; absent: `lastUpdated` of the document. */
  stamp?: 'etag' | 'lastUpdated' | 'last_updated' | 'updated';
  /** What its stamp is read from, where that is another document. */
  stampedBy?: (made: Made) => Request;
  save: (made: Made, text: string) => Request;
  /** The place of the saved text in the document, as a JSON pointer. */
  at: string;
};

const empty = { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } };
const straight = { workflow_start: { workflow_end: { type: 'standard', state: 'success' } } };
const first = (list: Json[]) => list[0] as Json;
const of = (member: string) => (body: Json) => body[member] as Json;

const STUDIO = '/automation-studio';
const OPERATIONS = '/operations-manager';
const MANAGER = '/configuration_manager';

/** An automation that starts nothing yet: what a trigger hangs on. */
const automation = async (name: string) => {
  const { json } = await send('admin', 'POST', `${OPERATIONS}/automations`, {
    name,
    componentType: 'workflows',
  });
  return (json as { data: { _id: string } }).data._id;
};
const owner = await automation('Owner of triggers');
const rest = (name: string, base = '') => ({
  name,
  model: 'Rest',
  properties: {
    id: name,
    type: 'Rest',
    properties: { protocol: 'http', host: '127.0.0.1', port: 9, base_path: base },
  },
});

const KINDS: Record<string, Kind> = {
  project: {
    make: (name) => ['POST', `${STUDIO}/projects`, { name }],
    idOf: (body: { data: { _id: string } }) => body.data._id,
    read: ({ id }) => ['GET', `${STUDIO}/projects/${id}`],
    docOf: of('data'),
    save: ({ id }, description) => ['PATCH', `${STUDIO}/projects/${id}`, { description }],
    at: '/description',
  },
  workflow: {
    make: (name) => [
      'POST',
      `${STUDIO}/automations`,
      { automation: { name, tasks: empty, transitions: straight } },
    ],
    idOf: (body: { created: { _id: string } }) => body.created._id,
    read: ({ name }) => ['GET', `${STUDIO}/workflows/detailed/${encodeURIComponent(name)}`],
    stamp: 'last_updated',
    save: ({ id }, description) => ['PUT', `${STUDIO}/automations/${id}`, { update: { description } }],
    at: '/description',
  },
  template: {
    make: (name) => [
      'POST',
      `${STUDIO}/templates`,
      { template: { name, group: 'g', type: 'jinja2', template: '' } },
    ],
    idOf: (body: { created: { _id: string } }) => body.created._id,
    read: ({ id }) => ['GET', `${STUDIO}/templates/${id}`],
    save: ({ id }, template) => ['PUT', `${STUDIO}/templates/${id}`, { update: { template } }],
    at: '/template',
  },
  transformation: {
    make: (name) => ['POST', '/transformations', { name, description: '' }],
    idOf: (body: { _id: string }) => body._id,
    read: ({ id }) => ['GET', `/transformations/${id}`],
    save: ({ id, name }, description) => ['PUT', `/transformations/${id}`, { name, description }],
    at: '/description',
  },
  'JSON form': {
    make: (name) => ['POST', '/json-forms/forms', { name, description: '' }],
    idOf: (body: { doc: { id: string } }) => body.doc.id,
    read: ({ id }) => ['GET', `/json-forms/forms/${id}`],
    save: ({ id, name }, description) => [
      'PUT',
      `/json-forms/forms/${id}`,
      { options: { name, description } },
    ],
    at: '/description',
  },
  tag: {
    make: (name) => ['POST', '/tags/create', { data: { name } }],
    idOf: (body: { _id: string }) => body._id,
    read: ({ id }) => ['POST', '/tags/get', { id }],
    stamp: 'etag',
    save: ({ id }, description) => ['POST', '/tags/update', { _id: id, data: { description } }],
    at: '/description',
  },
  'command template': {
    make: (name) => ['POST', '/mop/createTemplate', { mop: { name, os: '' } }],
    read: ({ path }) => ['GET', `/mop/listATemplate/${path}`],
    docOf: first as never,
    save: ({ path, name }, os) => ['PUT', `/mop/updateTemplate/${path}`, { mop: { name, os } }],
    at: '/os',
  },
  'analytic template': {
    make: (name) => ['POST', '/mop/createAnalyticTemplate', { template: { name, os: '' } }],
    read: ({ path }) => ['GET', `/mop/listAnAnalyticTemplate/${path}`],
    docOf: first as never,
    save: ({ path, name }, os) => ['POST', `/mop/updateAnalyticTemplate/${path}`, { template: { name, os } }],
    at: '/os',
  },
  automation: {
    make: (name) => ['POST', `${OPERATIONS}/automations`, { name, componentType: 'workflows' }],
    idOf: (body: { data: { _id: string } }) => body.data._id,
    read: ({ id }) => ['GET', `${OPERATIONS}/automations/${id}`],
    docOf: of('data'),
    save: ({ id }, description) => ['PATCH', `${OPERATIONS}/automations/${id}`, { description }],
    at: '/description',
  },
  trigger: {
    make: (name) => [
      'POST',
      `${OPERATIONS}/triggers`,
      { name, type: 'manual', actionType: 'automations', actionId: owner },
    ],
    idOf: (body: { data: { _id: string } }) => body.data._id,
    read: ({ id }) => ['GET', `${OPERATIONS}/triggers/${id}`],
    docOf: of('data'),
    save: ({ id }, description) => ['PATCH', `${OPERATIONS}/triggers/${id}`, { description }],
    at: '/description',
  },
  profile: {
    make: (id) => ['POST', '/profiles', { properties: { id } }],
    read: ({ path }) => ['GET', `/profiles/${path}`],
    docOf: of('profile'),
    stamp: 'etag',
    save: ({ path }, description) => ['PUT', `/profiles/${path}`, { properties: { description } }],
    at: '/description',
  },
  adapter: {
    make: (name) => ['POST', '/adapters', { properties: rest(name) }],
    read: ({ path }) => ['GET', `/adapters/${path}`],
    docOf: of('data'),
    stamp: 'etag',
    save: ({ path, name }, base) => ['PUT', `/adapters/${path}`, { properties: rest(name, `/${base}`) }],
    at: '/properties/properties/base_path',
  },
  'golden tree': {
    make: (name) => ['POST', `${MANAGER}/configs`, { name, deviceType: 'cisco-ios' }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/configs/${id}`],
    save: ({ id }, name) => ['PUT', `${MANAGER}/configs/${id}`, { options: { name: `${name} of ${id}` } }],
    at: '/name',
  },
  'version of a tree': {
    make: (name) => ['POST', `${MANAGER}/configs`, { name, deviceType: 'cisco-ios' }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/configs/${id}/initial`],
    save: ({ id }, who) => ['PUT', `${MANAGER}/configs/${id}/initial`, { variables: { who } }],
    at: '/variables/who',
  },
  'node of a tree': {
    make: (name) => ['POST', `${MANAGER}/configs`, { name, deviceType: 'cisco-ios' }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/configs/${id}/initial`],
    save: ({ id }, name) => [
      'PUT',
      `${MANAGER}/configs/${id}/initial/base`,
      { attributes: { remediationWorkflow: name } },
    ],
    at: '/root/attributes/remediationWorkflow',
  },
  'configuration of a node': {
    make: (name) => ['POST', `${MANAGER}/configs`, { name, deviceType: 'cisco-ios' }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/configs/${id}/initial/base`],
    docOf: of('spec'),
    stampedBy: ({ id }) => ['GET', `${MANAGER}/configs/${id}/initial`],
    save: ({ id }, name) => [
      'PUT',
      `${MANAGER}/node/config`,
      {
        treeId: id,
        treeVersion: 'initial',
        nodePath: 'base',
        data: { template: `hostname ${name}\n`, variables: {} },
        updateVariables: false,
      },
    ],
    at: '/template',
  },
  'config spec': {
    make: () => ['POST', `${MANAGER}/config_specs`, { data: { deviceType: 'cisco-ios', template: '' } }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/config_specs/${id}`],
    save: ({ id }, name) => [
      'PUT',
      `${MANAGER}/config_specs/${id}`,
      { data: { template: `hostname ${name}\n` } },
    ],
    at: '/template',
  },
  'device template': {
    make: (name) => ['POST', `${MANAGER}/templates`, { name, template: '' }],
    idOf: (body: { data: { id: string } }) => body.data.id,
    read: ({ name }) => ['POST', `${MANAGER}/templates/search`, { name }],
    docOf: ((body: { list: Json[] }) => first(body.list)) as never,
    stamp: 'updated',
    save: ({ id }, template) => ['PUT', `${MANAGER}/templates`, { id, data: { template } }],
    at: '/template',
  },
  'device group': {
    make: (name) => ['POST', `${MANAGER}/devicegroup`, { groupName: name, deviceNames: '' }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/deviceGroups/${id}`],
    stamp: 'updated',
    save: ({ id }, description) => ['PUT', `${MANAGER}/deviceGroups/${id}`, { details: { description } }],
    at: '/description',
  },
  'compliance plan': {
    make: (name) => ['POST', `${MANAGER}/compliance_plans`, { name }],
    idOf: (body: { id: string }) => body.id,
    read: ({ id }) => ['GET', `${MANAGER}/compliance_plans/${id}`],
    save: ({ id }, description) => [
      'PUT',
      `${MANAGER}/compliance_plans`,
      { planId: id, options: { description } },
    ],
    at: '/description',
  },
  parser: {
    make: (name) => ['POST', `${MANAGER}/configurations/parser`, { name, template: 'cisco-ios' }],
    read: ({ name }) => ['POST', `${MANAGER}/configurations/parser/search`, { filter: { name } }],
    docOf: of('parser'),
    stamp: 'updated',
    save: ({ name }, text) => [
      'PUT',
      `${MANAGER}/configurations/parser`,
      { name, options: { lexRules: [[text, 'word']] } },
    ],
    at: '/lexRules/0/0',
  },
};

const ask = ([method, path, body]: Request, ifMatch?: string): Promise<Answer> =>
  send('admin', method, path, body, { headers: ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` } });

async function ok(request: Request, ifMatch?: string): Promise<Answer> {
  const answer = await ask(request, ifMatch);
  if (answer.status !== 200)
    throw new Error(`${request.join(' ')} answered ${answer.status}: ${answer.text}`);
  return answer;
}

async function read({ read, docOf, stamp = 'lastUpdated', stampedBy }: Kind, made: Made) {
  const { json, headers } = await ok(read(made));
  const doc = docOf ? docOf(json as never) : (json as Json);
  const stamped = stampedBy ? ((await ok(stampedBy(made))).json as Json) : doc;
  return { doc, stamp: stamp === 'etag' ? String(headers.etag).replaceAll('"', '') : String(stamped[stamp]) };
}

const valueAt = (doc: Json, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, member) => (value as Json)[member], doc);

describe.each(Object.entries(KINDS))('two people who edit one %s', (word, kind) => {
  const make = async () => {
    const name = `${word.replaceAll(' ', '-')}-${crypto.randomUUID().slice(0, 8)}`;
    const { json } = await ok(kind.make(name));
    const id = kind.idOf ? kind.idOf(json as never) : name;
    return { id, name, path: encodeURIComponent(name) };
  };

  test('the second save is rejected, names where the two differ, and nothing is written over', async () => {
    const made = await make();
    const { stamp } = await read(kind, made);
    await ok(kind.save(made, 'mine'), stamp);
    const kept = (await read(kind, made)).doc;

    const late = await ask(kind.save(made, 'yours'), stamp);
    expect(late.status).toBe(409);
    const { code, message, data } = late.json as {
      code: string;
      message: string;
      data: { differences: Json[] };
    };
    expect(code).toBe('CONFLICT');
    expect(message).toContain('was changed by another request');
    expect(message).toContain(`your version differs at ${kind.at}`);
    expect(data.differences.map(({ path }) => path)).toEqual([kind.at]);
    expect((await read(kind, made)).doc).toEqual(kept);
    expect(JSON.stringify(valueAt(kept, kind.at))).toContain('mine');
  });

  test.skipIf(!isLong)('a user who reads the document again saves it with the new timestamp', async () => {
    const made = await make();
    await ok(kind.save(made, 'mine'), (await read(kind, made)).stamp);
    await ok(kind.save(made, 'yours'), (await read(kind, made)).stamp);
    expect(JSON.stringify(valueAt((await read(kind, made)).doc, kind.at))).toContain('yours');
  });

  test.skipIf(!isLong)('one of two simultaneous saves is rejected', async () => {
    const made = await make();
    const { stamp } = await read(kind, made);
    const answers = await Promise.all(['mine', 'yours'].map((who) => ask(kind.save(made, who), stamp)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const kept = answers[0]?.status === 200 ? 'mine' : 'yours';
    expect(JSON.stringify(valueAt((await read(kind, made)).doc, kind.at))).toContain(kept);
  });
});
