import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType, Project } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import { insertAsset } from '#server/domains/assets/stored/assets.service.ts';
import type { Asset } from '#server/domains/assets/stored/kinds.ts';
import { importAssets } from '#server/domains/workflow/definitions/import-assets.service.ts';
import type { Role } from '#server/kernel/roles.ts';
import { asAdmin } from './documents/assets.ts';
import { openService } from './service.ts';

type Options = { as?: Role | readonly Role[]; ifMatch?: string };

/** A service, and requests to the documents of the automation studio. */
export async function openStudio() {
  const service = await openService();

  const send = (method: string, path: string, body?: unknown, { as = 'admin', ifMatch }: Options = {}) =>
    service.send(as, method, path, body, { headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch } });

  /** The same, for requests that must succeed: their body, as the caller of the test expects it. */
  const done = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    options?: Options,
  ): Promise<Body> => {
    const answer = await send(method, path, body, options);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Body;
  };

  /** A project that the holders of these roles take part in, by what each may do. */
  const createProject = async (name: string, access: { read?: Role[]; write?: Role[] } = {}) => {
    const keys = (roles: readonly Role[] = []) =>
      Promise.all(roles.map(async (role) => `account:${(await service.callerWith(role)).caller.id}`));
    const id = newId();
    const write = await keys(access.write);
    const read = [...(await keys(access.read)), ...write];
    const project = {
      _id: id,
      iid: Number.parseInt(id.slice(-6), 16),
      name,
      accessControl: { read, write, execute: [], manage: [] },
    };
    // What lists, rights and deletions look at; nothing else of a project matters here.
    await asAdmin(service, (ctx) => insert(ctx.db, projects, id, project as unknown as Project));
    return id;
  };

  /** A document that belongs to a project. */
  const addToProject = async (projectId: string, kind: ComponentType, doc: Asset) => {
    const [one] = await asAdmin(service, (ctx) =>
      importAssets(ctx, [{ kind, doc }], { projectId, onTaken: 'reject' }),
    );
    if (!one) throw new Error('nothing was imported');
    return one;
  };

  /** A workflow as the engine stores it: what uses other documents. */
  const addWorkflow = (doc: Asset) =>
    asAdmin(service, (ctx) => insertAsset(ctx, 'workflow', crypto.randomUUID(), doc));

  return { ...service, send, done, createProject, addToProject, addWorkflow };
}
