import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { Project } from '#db/schemas/assets/project.ts';
import { fullAuthor, knownAuthors } from '../authors/authors.service.ts';
import { tableOf } from '../stored/references.service.ts';
import { knownMembers } from './project-access.service.ts';
import { componentsOf } from './project-tree.ts';

/**
 * Returns a project as responses show it, with the names of its members, components and authors (contract/lifecycle#5.1,
 * #0.7). It makes two queries for members and authors, and one per kind of component.
 */
export async function projectView(db: Database, doc: Project): Promise<Project> {
  const members = doc.members ?? [];
  const known = await knownMembers(db, members);
  const authors = await knownAuthors(db, [doc.createdBy, doc.lastUpdatedBy]);
  const names = await componentNames(db, doc);
  return {
    ...doc,
    createdBy: fullAuthor(doc.createdBy, authors),
    lastUpdatedBy: fullAuthor(doc.lastUpdatedBy, authors),
    members: members.map((member) => {
      const found = known.get(`${member.type}:${member.reference}`);
      return { ...member, ...found, missing: !found };
    }),
    components: componentsOf(doc).map((one) => {
      const name = names.get(`${one.type} ${one.reference}`);
      return name === undefined ? one : { ...one, name };
    }),
  };
}

/**
 * Returns projects of a list as responses show them: as stored, with their authors in full (contract/lifecycle#users). It
 * makes one query for all of them.
 *
 * @param texts JSON texts of the projects; a projection may have left out any field
 */
export async function listedProjects(db: Database, texts: readonly string[]): Promise<string[]> {
  const docs = texts.map((text) => JSON.parse(text) as Partial<Project>);
  const authors = await knownAuthors(
    db,
    docs.flatMap(({ createdBy, lastUpdatedBy }) => [createdBy, lastUpdatedBy]),
  );
  return docs.map((doc) => {
    for (const field of ['createdBy', 'lastUpdatedBy'] as const) {
      if (field in doc) doc[field] = fullAuthor(doc[field], authors);
    }
    return JSON.stringify(doc);
  });
}

/** Returns the names of these components, by `type reference`. */
async function componentNames(db: Database, doc: Project): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const kind of new Set(componentsOf(doc).map(({ type }) => type))) {
    const found = await rows<{ id: string; name: string }>(
      db,
      sql`select id, name from ${tableOf(kind)} where project_id = ${doc._id}`,
    );
    for (const { id, name } of found) names.set(`${kind} ${id}`, name);
  }
  return names;
}
