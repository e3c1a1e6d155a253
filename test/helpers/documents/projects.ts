import { expect } from 'vitest';
import type { Missing } from '#db/schemas/assets/missing.ts';
import type { ComponentType, ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { insertAsset } from '#server/domains/assets/stored/assets.service.ts';
import type { Asset } from '#server/domains/assets/stored/kinds.ts';
import type { Role } from '#server/kernel/roles.ts';
import { openService } from '../service.ts';
import { asAdmin, objectId, uuid } from './assets.ts';

type As = Role | readonly Role[];
type Json = Record<string, unknown>;

/** A service of its own, and the calls on projects that its tests make. */
export async function openStudio() {
  const service = await openService();
  const { db } = service;

  /** One call under /automation-studio/projects. */
  const send = (method: string, path: string, body?: unknown, as: As = 'designer', headers = {}) =>
    service.send(as, method, `/automation-studio/projects${path}`, body, { headers });

  /** One call that must succeed: the whole answer. */
  async function done<T = { data: Project; metadata: Json; message: string }>(
    method: string,
    path: string,
    body?: unknown,
    as: As = 'designer',
  ): Promise<T> {
    const answer = await send(method, path, body, as);
    expect(answer.status, answer.text.slice(0, 2000)).toBe(200);
    return answer.json as T;
  }

  const create = async (name: string, more: Json = {}, as: As = 'designer') =>
    (await done('POST', '', { name, ...more }, as)).data;

  const get = async (id: string, as: As = 'designer') => (await done('GET', `/${id}`, undefined, as)).data;

  const exported = async (id: string, as: As = 'designer') =>
    (await done<{ data: ExportedProject }>('GET', `/${id}/export`, undefined, as)).data;

  /** Store a global asset, past any endpoint. */
  async function store(kind: ComponentType, doc: Asset): Promise<string> {
    const id = kind.startsWith('mop') ? doc.name : kind === 'workflow' ? uuid() : objectId();
    await asAdmin({ db }, (ctx) => insertAsset(ctx, kind, id, doc));
    return id;
  }

  return { ...service, service, send, done, create, get, exported, store };
}

/** The content of an error answer. */
export type ApiError = {
  code: string;
  message: string;
  issues?: { path: (string | number)[]; message: string; code: string }[];
  data?: unknown;
};

/** The answer to the import of a project file. */
type Imported = {
  data: Project;
  metadata: {
    failedComponents: Json[];
    drafts: {
      type: string;
      reference: string;
      name: string;
      errors: { path: unknown[]; message: string }[];
    }[];
    draftsTotal: number;
    relinked: Json[];
    missing: Missing[];
    missingTotal: number;
  };
};

/** The studio, with imports of project files by a designer and requests of an administrator. */
export async function openImports() {
  const studio = await openStudio();
  const importing = (project: object, more: Json = {}) =>
    studio.done<Imported>('POST', '/import', { project, ...more });
  const call = (method: string, path: string, body?: unknown) =>
    studio.service.send('admin', method, path, body);
  return { ...studio, importing, call };
}

/**
 * Returns a project file of documents.
 *
 * @param list returns the type and the document of each component; its parameter returns the full name of a component
 */
export function projectFileOf(list: (own: (name: string) => string) => [type: string, document: Json][]) {
  const _id = objectId();
  const components = list((name) => `@${_id}: ${name}`).map(([type, document], iid) => ({
    iid,
    type,
    reference:
      type === 'workflow' ? uuid() : type.startsWith('mop') ? `@${_id}: ${document.name}` : objectId(),
    document,
  }));
  return { _id, name: `Healed ${_id}`, components };
}
