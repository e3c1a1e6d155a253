import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { readable } from '#db/document-kinds/readable.ts';
import {
  ComponentType,
  type ExportedComponent,
  type ExportedProject,
  type Project,
} from '#db/schemas/assets/project.ts';
import type { Author } from '#db/schemas/primitives.ts';
import { assetReferences } from '#db/tables/assets/assets.ts';
import {
  type Asset,
  bareName,
  componentsOf,
  expandedIn,
  findProject,
  fullAuthor,
  type KnownAuthors,
  knownAuthors,
  tableOf,
  unstamped,
} from '#server/domains/assets/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { canonical } from '#server/kernel/json/canonical.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';

/**
 * Returns a project with the documents of its components, as a file to import elsewhere: names without the project's
 * prefix, references with it, without members and without the numbers of this system (contract/lifecycle#5.1).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function exportProject(ctx: ReadContext, id: string): Promise<ExportedProject> {
  const { db } = ctx;
  const { doc } = await findProject(ctx, id);
  const documents = await documentsOf(db, doc);
  const known = await knownAuthors(db, authorsOf(doc, documents));
  const { members: _m, accessControl: _a, componentIidIndex: _i, ...project } = doc;
  return {
    ...project,
    // Some clients cannot read null or an absent tree: an empty one says the same.
    folders: doc.folders ?? [],
    createdBy: shown(doc.createdBy, known),
    lastUpdatedBy: shown(doc.lastUpdatedBy, known),
    components: componentsOf(doc).map((component): ExportedComponent => {
      const document = documents.get(`${component.type} ${component.reference}`);
      return document ? { ...component, document: exported(component.type, document, known) } : component;
    }),
    referencedComponentHashes: await hashesOf(ctx, id),
  };
}

/** Returns the documents of a project's components, by `type reference`, in one query per kind. */
async function documentsOf(db: Database, doc: Project): Promise<Map<string, Asset>> {
  const documents = new Map<string, Asset>();
  for (const kind of new Set(componentsOf(doc).map(({ type }) => type))) {
    for (const one of await findAll(db, tableOf(kind), sql`project_id = ${doc._id}`)) {
      documents.set(`${kind} ${one.id}`, one.doc);
    }
  }
  return documents;
}

const authorsOf = (doc: Project, documents: ReadonlyMap<string, Asset>): (Author | undefined)[] => [
  doc.createdBy,
  doc.lastUpdatedBy,
  ...[...documents].flatMap(([key, document]) => {
    const members = expandedIn(key.split(' ', 1)[0] as ComponentType);
    // A value that is not an author is not an author's id either, and stays as it is.
    return members.map((member) => document[member] as Author | undefined);
  }),
];

function exported(kind: ComponentType, document: Asset, known: KnownAuthors): Asset {
  const { namespace: _, ...rest } = document;
  const { notExported } = DOCUMENT_KINDS[kind];
  const kept = Object.entries(rest).filter(([member]) => !notExported.includes(member));
  const authors = expandedIn(kind)
    .filter((member) => member in document)
    .map((member) => [member, shown(document[member] as Author, known)]);
  return { ...Object.fromEntries([...kept, ...authors]), name: bareName(document.name) };
}

/** Returns an author in the form of export files: only one that does not exist is marked. */
function shown(author: Author | undefined, known: KnownAuthors): Author {
  const expandedAuthor = fullAuthor(author, known);
  if (expandedAuthor === null || typeof expandedAuthor === 'string') return expandedAuthor;
  const { missing, ...rest } = expandedAuthor;
  return missing ? expandedAuthor : rest;
}

/** Returns what the project's assets reference outside of it and the caller may see, each with a hash of its content. */
async function hashesOf({ db, principal }: ReadContext, projectId: string) {
  const hashes: { type: ComponentType; reference: string; name: string; hash: string }[] = [];
  for (const kind of ComponentType.options) {
    const table = tableOf(kind);
    const isNamed = sql`id in (
      select r.target_id from ${assetReferences} r join (${ownedBy(projectId)}) o
        on o.kind = r.source_kind and o.id = r.source_id
      where r.target_kind = ${kind})`;
    const isOutside = sql`project_id is distinct from ${projectId}`;
    const found = await findAll(db, table, allOf(isNamed, isOutside, readable(kind, principal)));
    for (const { id, doc } of found) {
      const { namespace: _n, errors: _e, warnings: _w, ...content } = unstamped(kind, doc);
      hashes.push({ type: kind, reference: id, name: doc.name, hash: sha256(canonical(content)) });
    }
  }
  return hashes;
}

const ownedBy = (projectId: string) =>
  sql.join(
    ComponentType.options.map(
      (kind) => sql`select ${kind}::text as kind, id from ${tableOf(kind)} where project_id = ${projectId}`,
    ),
    sql` union all `,
  );
