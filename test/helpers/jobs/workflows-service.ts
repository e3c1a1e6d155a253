import { randomUUID } from 'node:crypto';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { automations, projects, workflows } from '#db/tables/assets/assets.ts';
import { recordReferences } from '#server/domains/assets/stored/references.service.ts';
import type { Role } from '#server/kernel/roles.ts';
import { openService } from '../service.ts';
import { workflowOf } from '../workflows.ts';

type Options = { as?: Role | readonly Role[]; ifMatch?: string };

/** A service, and what tests of workflows ask of it. */
export async function openWorkflows() {
  const service = await openService();

  const send = (method: string, path: string, body?: unknown, { as = 'admin', ifMatch }: Options = {}) =>
    service.send(as, method, path, body, {
      headers: ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` },
    });

  /** The same, for requests that must succeed: their body, as the caller of the test expects it. */
  const done = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    options?: Options,
  ): Promise<Body> => {
    const answer = await send(method, path, body, options);
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Body;
  };

  const create = async (automation: object): Promise<Workflow & { _id: string; last_updated: string }> => {
    const { created } = await done<{ created: Workflow & { _id: string; last_updated: string } }>(
      'POST',
      '/automation-studio/automations',
      { automation },
    );
    return created;
  };

  const detailed = (name: string, options?: Options) =>
    send('GET', `/automation-studio/workflows/detailed/${encodeURIComponent(name)}`, undefined, options);
  const read = async (name: string) => (await detailed(name)).json as Workflow & { _id: string };

  /** A project in which holders of these roles, and no others, take part. */
  const project = async (readers: readonly Role[], writers: readonly Role[] = []): Promise<string> => {
    const _id = newId();
    const keys = async (roles: readonly Role[]) =>
      Promise.all(roles.map(async (role) => `account:${(await service.callerWith(role)).caller.id}`));
    const accessControl = { read: await keys(readers), write: await keys(writers), execute: [], manage: [] };
    await insert(service.db, projects, _id, {
      _id,
      iid: Date.now() % 1e9,
      name: `project ${_id}`,
      accessControl,
    });
    return _id;
  };

  /** A workflow of a project. */
  const owned = async (projectId: string, name: string): Promise<Workflow & { _id: string }> => {
    const _id = randomUUID();
    const doc = { ...workflowOf(`@${projectId}: ${name}`), _id, last_updated: '2026-02-03T04:05:06.789Z' };
    await insert(service.db, workflows, _id, doc, { projectId });
    return doc;
  };

  /** An automation that starts a workflow. */
  const automation = async (name: string, componentId: string, componentName: string): Promise<string> => {
    const _id = newId();
    const doc = { _id, name, componentType: 'workflows' as const, componentId, componentName };
    await insert(service.db, automations, _id, doc);
    await recordReferences(service.db, 'automation', [{ id: _id, doc }]);
    return _id;
  };

  return { ...service, send, done, create, detailed, read, project, owned, automation };
}
