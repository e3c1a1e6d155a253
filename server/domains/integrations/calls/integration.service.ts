import type { Adapter } from '#db/schemas/network/adapter.ts';
import type { IntegrationConnection } from '#db/schemas/network/integration-connection.ts';
import { type AdapterRow, getAdapterRow, rowOfSecrets } from '#server/domains/network/index.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict, invalid } from '#server/kernel/errors.ts';
import { openedDocument } from '#server/kernel/secrets/seals.ts';
import { connectionOfModel } from '../models/lookup.service.ts';
import { secretsOf } from './answers/conceal.ts';
import type { SecuritySchemes } from './security.ts';

/** An integration that can be called. The connection holds decrypted secrets; they must not outlive the call. */
export type OpenIntegration = {
  name: string;
  row: AdapterRow;
  connection: IntegrationConnection;
  schemes: SecuritySchemes;
  /** The secrets of the connection. */
  secrets: readonly string[];
  /** Whether the connection is the stored one; another is only being tried. */
  isStored: boolean;
};

/**
 * Returns a started integration with its opened connection.
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for an adapter that is no integration; CONFLICT when it is stopped
 */
export async function openIntegration(call: SystemContext, name: string): Promise<OpenIntegration> {
  const row = await getAdapterRow(call.db, name);
  const opened = await openRow(call, row, row.doc);
  if (!row.active) throw conflict(`Integration ${name} is stopped`);
  return opened;
}

/**
 * Returns the integration of a row with a document that may differ from the stored one, started or not.
 *
 * @throws ServiceError BAD_REQUEST when the row is an adapter of another kind
 */
export async function openRow(
  { db, platform }: SystemContext,
  row: AdapterRow,
  document: Adapter,
): Promise<OpenIntegration> {
  const { type } = document.properties;
  const model = await connectionOfModel(db, type);
  if (!model)
    throw invalid(['adapter_id'], `${row.id} is an adapter of the model ${type}, not an integration`);
  const opened = openedDocument(platform.vault, rowOfSecrets(row.id), document);
  const use = { kind: 'adapters', name: row.id, account: null };
  const { properties } = await platform.secrets.resolve(opened, use);
  return {
    name: row.id,
    row,
    // Validated when it was stored.
    connection: (properties.properties ?? {}) as IntegrationConnection,
    schemes: model.securitySchemes,
    secrets: secretsOf(document.properties.properties, properties.properties),
    isStored: document === row.doc,
  };
}
