import type { Project } from '#db/schemas/assets/project.ts';
import { asset } from '../documents/assets.ts';
import { createPerson, sendAs, signIn } from '../people.ts';
import { task, view, workflowOf } from '../workflows.ts';
import { openJobs } from './running-jobs.ts';

type Json = Record<string, unknown>;
export type Member = 'owner' | 'editor' | 'operator' | 'viewer' | 'outsider';

export const EXECUTING: readonly Member[] = ['owner', 'editor', 'operator'];
export const REFUSED: readonly Member[] = ['viewer', 'outsider'];
export const MEMBERS = [...EXECUTING, ...REFUSED];
export const READ_ONLY = 'Project Secret allows you to read but not to execute';

/**
 * A service that runs jobs, with a project that has a component of each kind and a member of each role; every account has
 * every role of the platform but admin, so that only the membership can deny something.
 */
export async function openProjectMembers() {
  const service = await openJobs();
  const tokens = new Map<Member, string>();
  const references: Record<string, string> = {};
  let counter = 0;

  /** Returns a number that no other name of this service ends with. */
  const next = () => ++counter;

  const make = async <Body = Json>(method: string, path: string, body: unknown): Promise<Body> => {
    const answer = await service.send('admin', method, path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Body;
  };

  const mop = (name: string, more: Json) => ({ ...asset('mopCommandTemplate', name), ...more });
  await make('POST', '/mop/createTemplate', { mop: mop('Look', {}) });
  await make('POST', '/mop/createAnalyticTemplate', { template: { name: 'Same', prepostCommands: [] } });
  const jinja = await make<{ created: { _id: string } }>('POST', '/automation-studio/templates', {
    template: asset('template', 'Port', { template: 'port' }),
  });
  const words = await make<{ created: { _id: string } }>('POST', '/automation-studio/templates', {
    template: asset('template', 'Words', {
      type: 'textfsm',
      template: 'Value WORD (.)\n\nStart\n  ^$$ -> Next\n',
    }),
  });
  const transformation = await make<{ _id: string }>(
    'POST',
    '/transformations',
    asset('transformation', 'Nothing'),
  );
  const form = await make<{ doc: { _id: string } }>('POST', '/json-forms/forms', asset('jsonForm', 'Site'));
  const child = await service.store(workflowOf('Child'));
  const waiting = await service.store(workflowOf('Waiting', { a: view() }));
  const failing = await service.store(workflowOf('Failing', { a: task('parse', { text: '{' }), b: view() }));
  const components = [
    { type: 'workflow', reference: child._id },
    { type: 'workflow', reference: waiting._id },
    { type: 'workflow', reference: failing._id },
    { type: 'template', reference: jinja.created._id },
    { type: 'template', reference: words.created._id },
    { type: 'transformation', reference: transformation._id },
    { type: 'jsonForm', reference: form.doc._id },
    { type: 'mopCommandTemplate', reference: 'Look' },
    { type: 'mopAnalyticTemplate', reference: 'Same' },
  ];
  const { data } = await make<{ data: Project }>('POST', '/automation-studio/projects', { name: 'Secret' });
  const projectId = data._id;
  const added = await make<{ data: Project }>(
    'POST',
    `/automation-studio/projects/${projectId}/components/add`,
    {
      components,
      mode: 'move',
    },
  );
  for (const { name = '', reference } of added.data.components ?? []) {
    references[name.replace(`@${projectId}: `, '')] = reference;
  }
  const members: Json[] = data.members ?? [];
  for (const member of MEMBERS) {
    // Every role but admin: only the membership can refuse.
    const roles = ['apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'];
    const person = await createPerson(service, roles);
    tokens.set(member, await signIn(service, person));
    if (member !== 'outsider') members.push({ type: 'account', reference: person.id, role: member });
  }
  await make('PATCH', `/automation-studio/projects/${projectId}`, { members });

  const send = (member: Member, method: string, path: string, body?: unknown) =>
    sendAs(service, tokens.get(member) ?? '', method, path, body);
  const scoped = (name: string) => `@${projectId}: ${name}`;
  return { service, projectId, references, next, make, send, scoped };
}
