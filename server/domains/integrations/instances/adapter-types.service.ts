import type { Database } from '#db/client.ts';
import type { AdapterType, FindAdapterType } from '#server/domains/network/index.ts';
import { findCatalogueType } from '../catalogues/catalogue-type.service.ts';
import { connectionOfModel, type ModelConnection } from '../models/lookup.service.ts';
import { findPackageType } from '../packages/package-type.service.ts';
import { connectionSchemaOf, integrationIssues, movedSecretsOf } from './connection.ts';

/** Returns the value of `model` that the integrations of a model have. */
export const modelNameOf = (versionId: string): string => `@switchyard/adapter_${versionId}`;

/** Returns the version id in a value of `model`: the part behind `adapter_`; '' when it has none. */
export const versionIdIn = (model: string): string => /^[^/]*\/?adapter_(.+)$/s.exec(model)?.[1] ?? '';

/** The providers of adapter types besides the built-in models, in the order in which they are searched. */
const PROVIDERS: readonly FindAdapterType[] = [
  async (db, name) => {
    const model = await connectionOfModel(db, name);
    return model && documentType(name, model);
  },
  findPackageType,
  findCatalogueType,
];

/**
 * Finds the type of integrations and adapters that are of no built-in model.
 *
 * @param name version id of a model, or type of a package or catalogue
 * @returns undefined for an unknown name
 */
export async function findAdapterType(db: Database, name: string): Promise<AdapterType | undefined> {
  for (const find of PROVIDERS) {
    const found = await find(db, name);
    if (found) return found;
  }
  return undefined;
}

/** The type of the integrations of an integration model. */
const documentType = (versionId: string, { securitySchemes }: ModelConnection): AdapterType => ({
  virtual: true,
  model: modelNameOf(versionId),
  isModel: (model) => versionIdIn(model) === versionId,
  description: `Operations of ${versionId}`,
  connectionSchema: connectionSchemaOf(securitySchemes),
  connectionIssues: (connection, targetFault) => integrationIssues(connection, securitySchemes, targetFault),
  movedSecrets: movedSecretsOf,
});
