import { gzipSync } from 'node:zlib';
import type { Database } from '#db/client.ts';
import { integrationModels, integrationOperations } from '#db/tables/integrations.ts';
import type { ApiOperation, CompiledModel } from '#server/domains/integrations/index.ts';
import { compileDocument } from '#server/domains/integrations/models/compile/compile.ts';

type Paths = Record<string, Record<string, object>>;

/** An OpenAPI document of a lab system. */
export const documentOf = (title: string, paths: Paths, more: object = {}) => ({
  openapi: '3.0.3',
  info: { title, version: '1' },
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { responses: { 200: { description: 'Done' } }, ...operation },
        ]),
      ),
    ]),
  ),
  ...more,
});

/** Compiles a document that must compile. */
export function compiled(document: object): CompiledModel {
  const result = compileDocument(document);
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.model;
}

/** Stores a document as a model. @returns its operations by name */
export async function storeModel(db: Database, document: object): Promise<ReadonlyMap<string, ApiOperation>> {
  const model = compiled(document);
  const versionId = `${model.title}:${model.version}`;
  await db.insert(integrationModels).values({
    id: versionId,
    doc: {
      model: `@switchyard/adapter_${versionId}`,
      versionId,
      description: '',
      properties: model.template,
    },
    title: model.title,
    specification: model.specification,
    operationCount: model.operations.length,
    securitySchemes: model.securitySchemes,
    declaredSchemes: model.securitySchemes,
    source: gzipSync(JSON.stringify(document)),
  });
  if (model.operations.length > 0) {
    await db.insert(integrationOperations).values(
      model.operations.map((operation, place) => {
        const { name, method, path, summary, tags, deprecated } = operation;
        return { model: versionId, name, place, method, path, summary, tags, deprecated, operation };
      }),
    );
  }
  return new Map(model.operations.map((operation) => [operation.name, operation]));
}

/** An integration as a client sends it. */
export const integrationOf = (name: string, type: string, connection: object = {}) => ({
  properties: {
    name,
    type: 'Adapter',
    virtual: true,
    properties: { id: name, type, properties: connection },
  },
});

/** The part of a connection that leads to a server on this machine. */
export const serverAt = (port: number, protocol = 'http', base_path = '') => ({
  server: { protocol, host: '127.0.0.1', port, base_path },
  tls: { enabled: protocol === 'https' },
});
