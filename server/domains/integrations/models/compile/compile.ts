import type { Issue } from '#server/kernel/errors.ts';
import { isObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import type { ApiOperation, CompiledModel, HttpMethod } from '../../api-operation.ts';
import { readAnswers } from './answers.ts';
import { readBody, readPlainBody } from './bodies.ts';
import { connectionTemplate, variablesOf } from './connection-template.ts';
import { effectOf, pagingOf } from './effects.ts';
import { identityOf } from './identity.ts';
import { LONGEST_NAME, namesOf } from './operation-names.ts';
import { declaredParameters, hasControls, readParameters, withTaskNames } from './parameters.ts';
import { matchPath } from './path-template.ts';
import { follow, UnusableOperation } from './references.ts';
import { readSchemes, readSecurity } from './security.ts';
import { openWarnings, type Warnings } from './warnings.ts';

/** Most operations of a document. */
export const MOST_OPERATIONS = 10_000;

const METHODS: ReadonlyMap<string, HttpMethod> = new Map(
  (['GET', 'HEAD', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => [
    method.toLowerCase(),
    method,
  ]),
);

/** Fields of a path that are no operations. */
const NOT_OPERATIONS = new Set(['$ref', 'summary', 'description', 'servers', 'parameters']);

/** An operation as the document has it. */
type Declared = {
  path: string;
  /** The field of the path: a method in lower case, or something else. */
  field: string;
  value: Record<string, unknown>;
  /** Parameters and servers that the operations of the path share. */
  shared: Record<string, unknown>;
};

type OmittedOperation = CompiledModel['leftOut'][number];

/** The parts of the document that every operation needs. */
type Compiling = {
  document: Record<string, unknown>;
  specification: CompiledModel['specification'];
  schemes: CompiledModel['securitySchemes'];
  warnings: Warnings;
};

/**
 * Compiles an OpenAPI document (2.0, 3.0, 3.1) to operations. What hinders an operation leaves that operation out, with the
 * reason; anything else that is wrong is a warning. References are followed one at a time, where they are needed: schemas
 * keep theirs.
 *
 * @param document as parsed, storable JSON
 * @returns the model, or the issues of a document that is none
 */
export function compileDocument(document: unknown): { model: CompiledModel } | { issues: Issue[] } {
  if (!isObject(document)) return { issues: [issue([], 'must be an OpenAPI document: an object')] };
  const { identity, issues } = identityOf(document);
  const { paths } = document;
  if (paths !== undefined && paths !== null && !isObject(paths))
    issues.push(issue(['paths'], 'must be an object'));
  if (!identity || issues.length > 0) return { issues };
  const warnings = openWarnings();
  const leftOut: OmittedOperation[] = [];
  const declared = declaredOperations(document, leftOut, warnings);
  if (declared.length > MOST_OPERATIONS) {
    return {
      issues: [issue(['paths'], `must have at most ${MOST_OPERATIONS} operations (got ${declared.length})`)],
    };
  }
  const isPlain = identity.specification === '2.0';
  const schemes = readSchemes(document, isPlain, warnings);
  const compiling = { document, specification: identity.specification, schemes, warnings };
  const variables: Record<string, string> = {};
  const operations: ApiOperation[] = [];
  const names = namesOf(
    declared.map(({ value, field, path }) => ({ operationId: value.operationId, method: field, path })),
  );
  for (const [at, one] of declared.entries()) {
    const name = names[at] ?? '';
    try {
      operations.push(compileOperation(compiling, one, name, variables));
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error;
      leftOut.push({ method: one.field.toUpperCase(), path: one.path, name, reason: error.message });
    }
  }
  return {
    model: {
      ...identity,
      operations,
      leftOut,
      securitySchemes: schemes,
      template: connectionTemplate(document, isPlain, identity.version, schemes, variables),
      warnings: warnings.all(),
    },
  };
}

const issue = (path: string[], message: string): Issue => ({ path, message, code: 'custom' });

/** Returns the operations of a document in its order; a path that cannot be read is left out as a whole. */
function declaredOperations(
  document: Record<string, unknown>,
  leftOut: OmittedOperation[],
  warnings: Warnings,
): Declared[] {
  const paths = isObject(document.paths) ? document.paths : {};
  return Object.entries(paths).flatMap(([path, item]) => {
    if (path.startsWith('x-')) return [];
    try {
      const shared = follow(document, item, 'the path');
      return operationsOfPath(path, shared, leftOut, warnings);
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error;
      leftOut.push({ method: '', path, name: null, reason: error.message });
      return [];
    }
  });
}

function operationsOfPath(
  path: string,
  shared: Record<string, unknown>,
  leftOut: OmittedOperation[],
  warnings: Warnings,
): Declared[] {
  return Object.entries(shared).flatMap(([field, value]) => {
    if (NOT_OPERATIONS.has(field) || field.startsWith('x-')) return [];
    if (!isObject(value)) {
      warnings.add(['paths', path, field], 'is no operation');
      return [];
    }
    if (METHODS.has(field)) return [{ path, field, value, shared }];
    leftOut.push({ method: field, path, name: null, reason: `${field} is no method of an operation` });
    return [];
  });
}

/** @param variables receives the defaults of the variables of the operation's own server */
function compileOperation(
  compiling: Compiling,
  { path, field, value, shared }: Declared,
  name: string,
  variables: Record<string, string>,
): ApiOperation {
  const { document, specification, schemes, warnings } = compiling;
  const method = METHODS.get(field);
  if (!method) throw new UnusableOperation(`${field} is no method of an operation`);
  if (hasControls(name)) throw new UnusableOperation('its operationId holds control characters');
  if (name.length > LONGEST_NAME)
    throw new UnusableOperation(`its operationId is longer than ${LONGEST_NAME} characters`);
  const at = ['paths', path, field];
  const declared = declaredParameters(document, [
    { values: value.parameters, at: [...at, 'parameters'] },
    { values: shared.parameters, at: ['paths', path, 'parameters'] },
  ]);
  const read = readParameters(declared, specification, warnings);
  const matched = matchPath(path, read);
  for (const unused of matched.unused)
    warnings.add(at, `declares the path parameter ${unused}, which its path lacks`);
  const body =
    specification === '2.0'
      ? readPlainBody(declared, value.consumes ?? document.consumes, warnings)
      : readBody(document, value.requestBody, at, warnings);
  const server = ownServer(document, value, shared, variables);
  const produces = value.produces ?? document.produces;
  const answers = readAnswers(document, value.responses, produces);
  const paging = pagingOf(value['x-paging']);
  if (value['x-paging'] !== undefined && !paging)
    warnings.add([...at, 'x-paging'], 'does not describe how pages are found');
  return {
    name,
    method,
    path: rooted(matched.path, at, warnings),
    summary: textOrEmpty(value.summary),
    description: textOrEmpty(value.description),
    tags: Array.isArray(value.tags) ? value.tags.filter((tag) => typeof tag === 'string') : [],
    deprecated: value.deprecated === true,
    parameters: withTaskNames(matched.parameters),
    ...(body && method !== 'TRACE' && { body }),
    security: readSecurity(value.security, document.security, schemes, at, warnings),
    ...(server !== undefined && { server }),
    effect: effectOf(method, value['x-read-only'] === true),
    ...(paging && { paging }),
    ...(answers && { answers }),
  };
}

function rooted(path: string, at: readonly string[], warnings: Warnings): string {
  if (path.startsWith('/')) return path;
  warnings.add(at, 'has a path without a slash at its start');
  return `/${path}`;
}

/**
 * Returns the server that an operation or its path has of its own; undefined when that of the document applies. Of one on the
 * host of the document, the path alone: an integration may have that host elsewhere.
 */
function ownServer(
  document: Record<string, unknown>,
  value: Record<string, unknown>,
  shared: Record<string, unknown>,
  variables: Record<string, string>,
): string | undefined {
  const [own] = [value.servers, shared.servers].flatMap((servers) => (Array.isArray(servers) ? servers : []));
  if (!isObject(own) || typeof own.url !== 'string' || own.url === '') return undefined;
  const common = Array.isArray(document.servers) ? document.servers[0] : undefined;
  const shares = isObject(common) && typeof common.url === 'string' ? common.url : '';
  if (shares === own.url) return undefined;
  Object.assign(variables, variablesOf(own));
  const [, authority, path] = AUTHORITY.exec(own.url) ?? [];
  return authority !== undefined && authority === AUTHORITY.exec(shares)?.[1] ? path || '/' : own.url;
}

/** Authority and path of a URL, which may lack its scheme. */
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]+)([^?#]*)/i;
