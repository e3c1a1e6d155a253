import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType, Project } from '#db/schemas/assets/project.ts';
import {
  assertUnused,
  bareName,
  componentsOf,
  errorsOf,
  getAsset,
  openProject,
  projectView,
  removeDocuments,
  replaceAsset,
  type StoredAsset,
  saveProject,
  scopedName,
  takenNames,
  unstamped,
  usersOf,
  withComponents,
  withoutComponent,
} from '#server/domains/assets/index.ts';
import { importAssets } from '#server/domains/workflow/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { freeName } from '#server/kernel/documents/names.ts';
import { conflict, type Issue, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { folderFault } from './project-updates.ts';

/** An asset to add to a project, and its folder there. */
export type ComponentToAdd = { type: ComponentType; reference: string; folder?: string | undefined };

/** An asset that was numbered because its name was taken. */
export type RenamedComponent = { type: ComponentType | 'project'; from: string; to: string };

/**
 * Adds assets to a project: copies of them, or the global assets themselves.
 *
 * @returns the project with its components, and the assets that have another name in it
 * @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST for an asset that is to be moved twice, CONFLICT for one that
 *   belongs to a project already (contract/lifecycle#5.1)
 */
export async function addComponents(
  ctx: WriteContext,
  projectId: string,
  added: readonly ComponentToAdd[],
  mode: 'move' | 'copy',
): Promise<{ project: Project; renamed: RenamedComponent[] }> {
  const stored = await openProject(ctx, projectId, 'write');
  assertPlaces(added, mode);
  const assets: { kind: ComponentType; stored: StoredAsset }[] = [];
  for (const { type, reference } of added) {
    const asset = await getAsset(ctx, type, reference, { lock: mode === 'move' });
    assets.push({ kind: type, stored: asset });
  }
  // The If-Match of the request applies to the project.
  const inside = { ...ctx, request: { ...ctx.request, ifMatch: null } };
  const made =
    mode === 'move'
      ? await moveIn(inside, projectId, assets)
      : await importAssets(
          inside,
          assets.map(({ kind, stored: { id, doc } }) => ({
            kind,
            doc: unstamped(kind, doc),
            reference: id,
            errors: errorsOf(doc),
          })),
          { projectId, onTaken: 'rename', newIds: true },
        );
  const parts = made.map(({ kind, id }, at) => ({
    type: kind,
    reference: id,
    folder: added[at]?.folder,
  }));
  const doc = await saveProject(ctx, stored, withComponents(stored.doc, parts).doc);
  return { project: await projectView(ctx.db, doc), renamed: renamedOf(made) };
}

function assertPlaces(added: readonly ComponentToAdd[], mode: 'move' | 'copy'): void {
  const seen = new Set<string>();
  const issues = added.flatMap(({ type, reference, folder }, at): Issue[] => {
    const found: Issue[] = [];
    const key = `${type} ${reference}`;
    if (mode === 'move' && seen.has(key)) {
      found.push({ path: ['components', at, 'reference'], message: 'comes twice', code: 'duplicate' });
    }
    seen.add(key);
    const fault = folder === undefined ? null : folderFault(folder);
    if (fault) found.push({ path: ['components', at, 'folder'], message: fault, code: 'too_big' });
    return found;
  });
  if (issues.length > 0) throw invalidRequest(issues);
}

type Made = { kind: ComponentType; id: string; fromName: string; name: string };

/** Returns the assets that were numbered on import. */
export const renamedOf = (made: readonly Made[]): RenamedComponent[] =>
  made.flatMap(({ kind, fromName, name }) => {
    const [from, to] = [bareName(fromName), bareName(name)];
    return from === to ? [] : [{ type: kind, from, to }];
  });

async function moveIn(
  ctx: WriteContext,
  projectId: string,
  assets: readonly { kind: ComponentType; stored: StoredAsset }[],
): Promise<Made[]> {
  const owned = assets.filter(({ stored }) => stored.projectId !== null);
  if (owned.length > 0) {
    const names = owned
      .slice(0, 3)
      .map(({ kind, stored }) => `${DOCUMENT_KINDS[kind].word} ${stored.doc.name}`);
    throw conflict(`${names.join(', ')} already ${owned.length > 1 ? 'belong' : 'belongs'} to a project`, {
      data: { components: owned.map(({ kind, stored }) => ({ type: kind, reference: stored.id })) },
    });
  }
  const made: Made[] = [];
  for (const { kind, stored } of assets) made.push(await moveTo(ctx, kind, stored, projectId));
  return made;
}

/** Changes the owner of an asset to a project or to none; references to it are updated. */
async function moveTo(
  ctx: WriteContext,
  kind: ComponentType,
  moved: StoredAsset,
  projectId: string | null,
): Promise<Made> {
  // An asset moved before it may have updated its references.
  const stored = await getAsset(ctx, kind, moved.id, { lock: true });
  const wanted = scopedName(projectId, stored.doc.name);
  const name = freeName(wanted, await takenNames(ctx.db, kind, [wanted], stored.doc.group));
  const doc = await replaceAsset(ctx, kind, stored, { ...stored.doc, name }, { projectId });
  return { kind, id: DOCUMENT_KINDS[kind].namedById ? doc.name : stored.id, fromName: stored.doc.name, name };
}

/**
 * Removes a component from its project: `delete` deletes its document too, `move` keeps that as a global one
 * (contract/endpoints#4.7).
 *
 * @param iid number of the component in its project
 * @returns the project without it; assets with another name since; names of what still refers to a deleted one
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT naming what uses, from outside, a document to be deleted
 */
export async function removeComponent(
  ctx: WriteContext,
  projectId: string,
  iid: number,
  mode: 'delete' | 'move',
): Promise<{ project: Project; renamed: RenamedComponent[]; warnings: string[] }> {
  const { db, principal } = ctx;
  const stored = await openProject(ctx, projectId, 'write');
  const component = componentsOf(stored.doc).find((one) => one.iid === iid);
  if (!component) throw notFound(`Component of project ${stored.doc.name}`, iid);
  const { type: kind, reference } = component;
  const inside = { ...ctx, request: { ...ctx.request, ifMatch: null } };
  const renamed: RenamedComponent[] = [];
  const warnings: string[] = [];
  const asset = await getAsset(inside, kind, reference, { lock: true });
  if (mode === 'move') {
    const made = await moveTo(inside, kind, asset, null);
    renamed.push(...renamedOf([made]));
  } else {
    const target = [{ kind, id: reference }];
    const siblings = componentsOf(stored.doc).map((one) => ({ kind: one.type, id: one.reference }));
    await assertUnused(db, `${DOCUMENT_KINDS[kind].word} ${asset.doc.name}`, target, siblings, principal);
    for (const user of await usersOf(db, target, target, principal)) {
      warnings.push(
        `${DOCUMENT_KINDS[kind].word} ${bareName(asset.doc.name)} is still referenced by ${bareName(user.name)}`,
      );
    }
    await removeDocuments(db, kind, [reference]);
  }
  const doc = await saveProject(ctx, stored, withoutComponent(stored.doc, iid));
  return { project: await projectView(db, doc), renamed, warnings };
}
