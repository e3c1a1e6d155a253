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

type Sends = {
  send: (
    as: 'admin',
    method: string,
    path: string,
    body: object,
  ) => Promise<{ status: number; text: string }>;
};

/** Stores a document as a model. @returns its operations by name */
export async function storeModel(
  service: Sends,
  document: object,
): Promise<ReadonlyMap<string, ApiOperation>> {
  const { status, text } = await service.send('admin', 'POST', '/integration-models', { model: document });
  if (status !== 200) throw new Error(text);
  return new Map(compiled(document).operations.map((operation) => [operation.name, operation]));
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
