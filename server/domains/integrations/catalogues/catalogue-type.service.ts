import { z } from 'zod';
import type { Database } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { CatalogueConnection } from '#db/schemas/integrations/catalogue-connection.ts';
import { adapterCatalogues } from '#db/tables/integrations/catalogues.ts';
import {
  type AdapterType,
  connectionIssues as hostIssues,
  movedSecretsWithHost,
} from '#server/domains/network/index.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';

/** Returns the type of adapters of which only the tasks are known. @param name of the type @returns undefined for another name */
export async function findCatalogueType(db: Database, name: string): Promise<AdapterType | undefined> {
  const found = await find(db, adapterCatalogues, name);
  if (!found) return undefined;
  const { package: id, title, type } = found.doc;
  return {
    virtual: false,
    model: id ?? type,
    isModel: (model) => model === id || model === type || model === '',
    description: `Tasks of ${title}, of which only a catalogue is known`,
    connectionSchema: z.toJSONSchema(CatalogueConnection, { io: 'input' }),
    connectionIssues: (connection, targetFault) => {
      const { error, data } = CatalogueConnection.safeParse(connection);
      if (error) return issuesOf(error);
      return data.provider === 'rest' ? hostIssues(connection, targetFault) : [];
    },
    movedSecrets: movedSecretsWithHost,
  };
}
