import { gzipSync } from 'node:zlib';
import type { IntegrationModel } from '#db/schemas/network/integration-model.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { ApiOperation, CompiledModel } from '../api-operation.ts';
import { compileDocument } from './compile/compile.ts';
import { externalReferences } from './compile/external-references.ts';
import { versionIdOf } from './compile/identity.ts';
import { type DocumentReadError, readDocument } from './document-text.ts';
import { violationsOf } from './violations.service.ts';

/** A document that was read and compiled, in the form in which it is stored. */
export type ReadModel = {
  model: IntegrationModel;
  compiled: Omit<CompiledModel, 'operations' | 'template'>;
  operationCount: number;
  /** The security schemes as the document declares them. */
  declaredSchemes: object;
  /** The rows of its operations, as JSON text: their objects are never sent between threads. */
  operations: string;
  /** Its operations as methods that roles can grant, as JSON text. */
  methods: string;
  /** The document as JSON text, compressed with gzip. */
  source: Uint8Array;
};

export type ReadResult = { read: ReadModel } | { error: DocumentReadError };

/** The part of a model's name before its version id. */
export const MODEL_PREFIX = '@switchyard/adapter_';

/** Fast rather than small: a document of 13 MB takes a tenth of a second. */
const GZIP = { level: 1 };

/**
 * Reads, compiles and checks a document as it was sent. It takes seconds for the largest ones: only threads call it.
 *
 * @param text the document, as `readDocument` reads it
 */
export function readModel(text: string): ReadResult {
  const sent = readDocument(text);
  if ('code' in sent) return { error: sent };
  const { document, json } = sent;
  const external = externalReferences(document as object);
  if (external.length > 0) return badRequest(external.map(refersOutside));
  const result = compileDocument(document);
  if ('issues' in result) return badRequest(result.issues);
  const { operations, template, ...compiled } = result.model;
  const violations = violationsOf(document as object, compiled.specification);
  const versionId = versionIdOf(compiled);
  return {
    read: {
      model: {
        model: `${MODEL_PREFIX}${versionId}`,
        versionId,
        description: compiled.description,
        properties: template,
      },
      compiled: { ...compiled, warnings: [...compiled.warnings, ...violations] },
      operationCount: operations.length,
      declaredSchemes: declaredSchemes(document as Record<string, unknown>),
      operations: JSON.stringify(operations.map(rowOf)),
      methods: JSON.stringify(operations.map(methodOf)),
      source: gzipSync(json, GZIP),
    },
  };
}

const badRequest = (issues: readonly Issue[]): ReadResult => ({
  error: {
    code: 'BAD_REQUEST',
    issues: issues.map((one) => ({ ...one, path: ['model', ...one.path] })),
  },
});

const refersOutside = (path: readonly (string | number)[]): Issue => ({
  path: [...path],
  message: 'leads out of the document: nothing is fetched for it, so that it must hold what it refers to',
  code: 'external_reference',
});

function declaredSchemes({ components, securityDefinitions }: Record<string, unknown>): object {
  const schemes = isObject(components) ? components.securitySchemes : securityDefinitions;
  return isObject(schemes) ? schemes : {};
}

/** A row of the table of operations. */
const rowOf = (operation: ApiOperation, place: number) => {
  const { name, method, path, summary, tags, deprecated } = operation;
  return { name, place, method, path, summary, tags, deprecated, operation };
};

const methodOf = ({ name, method, path, deprecated, effect }: ApiOperation) => ({
  name,
  verb: method.toLowerCase(),
  path,
  deprecated,
  isRead: effect === 'read',
});
