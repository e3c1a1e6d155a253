import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { readable } from '#db/document-kinds/readable.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { conflict } from '#server/kernel/errors.ts';
import { tableOf } from './references.service.ts';

/**
 * Returns the id of the asset that is requested by its id or, as some clients do, by its name. A value that matches
 * nothing is returned unchanged: the later lookup reports that it does not exist.
 *
 * @throws ServiceError CONFLICT when several have the name
 */
export async function idByIdOrName(
  { db, principal }: ReadContext,
  kind: ComponentType,
  idOrName: string,
): Promise<string> {
  const found = await rows<{ id: string }>(
    db,
    sql`select id from ${tableOf(kind)}
        where ${allOf(sql`(id = ${idOrName} or name = ${idOrName})`, readable(kind, principal))}
        order by id <> ${idOrName}, id limit 2`,
  );
  const [first, second] = found;
  if (first?.id === idOrName || !second) return first?.id ?? idOrName;
  throw conflict(
    `Several assets of the kind ${DOCUMENT_KINDS[kind].word} are named ${idOrName}: request one by its id`,
  );
}
