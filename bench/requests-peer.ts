import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildRequest } from '#server/domains/integrations/calls/request.ts';
import { guardedNames } from '#server/domains/integrations/calls/security.ts';
import { withQuery } from '#server/domains/integrations/calls/send.service.ts';
import type { ApiOperation } from '#server/domains/integrations/index.ts';
import { compileDocument } from '#server/domains/integrations/models/compile/compile.ts';

/*
 * Builds the request of every operation of the documents at hand, with values made from its schemas, and compares it with
 * the one that swagger-client builds: PEERS_NODE names a folder whose node_modules contain swagger-client 3.37, DOCUMENTS
 * folders or files of further documents, separated by commas. FIXTURE=1 writes the sample that the tests compare.
 */

type Json = Record<string, unknown>;
type Peer = {
  buildRequest: (options: object) => { url: string; method: string; headers: Json; body?: unknown };
};

const PACKAGE = 'swagger-client';
const folder = process.env.PEERS_NODE;
if (folder === undefined) {
  console.log('requests: no comparison without PEERS_NODE, a folder with swagger-client in its node_modules');
  process.exit(0);
}
const require = createRequire(join(folder, 'node_modules', 'x.js'));
const loaded = require(PACKAGE) as Peer & { default?: Peer };
const peer = loaded.default ?? loaded;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows references of a value itself, not inside it. */
function followed(document: Json, value: unknown, depth = 20): unknown {
  if (!isObject(value) || typeof value.$ref !== 'string' || depth === 0) return value;
  const steps = decodeURIComponent(value.$ref).replace(/^#\//, '').split('/');
  const target = steps.reduce<unknown>(
    (at, step) => (isObject(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    document,
  );
  return followed(document, target, depth - 1);
}

/** Makes a value of a schema. */
function madeFor(document: Json, given: unknown, depth = 0): unknown {
  const schema = followed(document, given);
  if (!isObject(schema)) return 'a b';
  const [first] = Array.isArray(schema.enum) ? schema.enum : [];
  if (first !== undefined && first !== null && first !== '') return first;
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  const part =
    (Array.isArray(schema.allOf) && schema.allOf[0]) ||
    (Array.isArray(schema.anyOf) && schema.anyOf[0]) ||
    (Array.isArray(schema.oneOf) && schema.oneOf[0]);
  if (type === undefined && part) return madeFor(document, part, depth + 1);
  if (type === 'integer') return 7;
  if (type === 'number') return 1.5;
  if (type === 'boolean') return true;
  if (type === 'array')
    return depth > 2
      ? ['x', 'y']
      : [madeFor(document, schema.items, depth + 1), madeFor(document, schema.items, depth + 1)];
  if (type === 'object' || isObject(schema.properties)) {
    const properties = isObject(schema.properties) ? Object.entries(schema.properties).slice(0, 4) : [];
    if (properties.length === 0 || depth > 2) return { a: 'x y', b: 2 };
    return Object.fromEntries(properties.map(([name, one]) => [name, madeFor(document, one, depth + 1)]));
  }
  return 'a b/ü&=+,;:@?#%';
}

/** The operation in a document of its own, with the references of its parameters and body followed. */
function alone(document: Json, operation: ApiOperation) {
  const paths = document.paths as Record<string, Json>;
  const item = followed(document, paths[operation.path]) as Json;
  const own = item[operation.method.toLowerCase()] as Json;
  const all = [...((item.parameters as unknown[]) ?? []), ...((own.parameters as unknown[]) ?? [])].map(
    (one) => {
      const parameter = { ...(followed(document, one) as Json) };
      if (parameter.schema) parameter.schema = followed(document, parameter.schema);
      return parameter;
    },
  );
  const last = new Map(all.map((one) => [`${String(one.in)} ${String(one.name)}`, one]));
  const body = followed(document, own.requestBody);
  const content = isObject(body) && isObject(body.content) ? body.content : undefined;
  const requestBody = content && {
    ...(body as Json),
    content: Object.fromEntries(
      Object.entries(content).map(([type, one]) => [
        type,
        isObject(one) ? { ...one, schema: followed(document, one.schema) } : one,
      ]),
    ),
  };
  const { servers: _, security: __, ...rest } = own;
  const alone = { ...rest, parameters: [...last.values()], ...(requestBody && { requestBody }) };
  return {
    ...(document.swagger
      ? {
          swagger: document.swagger,
          host: 'lab.example.net',
          schemes: ['https'],
          basePath: '/base',
          consumes: document.consumes,
        }
      : { openapi: document.openapi, servers: [{ url: 'https://lab.example.net/base' }] }),
    info: document.info,
    paths: { [operation.path]: { [operation.method.toLowerCase()]: alone } },
  };
}

type Shape = { method: string; path: string; query: string[]; headers: string[]; body: string };

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

function shapeOf(method: string, written: string, headers: Record<string, unknown>, body: unknown): Shape {
  const [place = '', query = ''] = written.split(/\?(.*)/s, 2);
  const skipped = new Set(['accept', 'user-agent', 'content-type']);
  return {
    method,
    path: place
      .replace(/^https:\/\/[^/]*/, '')
      .split('/')
      .map((one) => decodeURIComponent(one).replaceAll('/', '⁄'))
      .join('/'),
    query: query.split('&').filter(Boolean).map(decoded).sort(),
    headers: Object.entries(headers)
      .filter(([name]) => !skipped.has(name.toLowerCase()))
      .map(([name, value]) => `${name.toLowerCase()}: ${decoded(String(value))}`)
      .sort(),
    body: textOf(body, String(headers['Content-Type'] ?? headers['content-type'] ?? '')),
  };
}

function textOf(body: unknown, type: string): string {
  if (body === undefined || body === null) return '';
  const text = Buffer.isBuffer(body)
    ? body.toString('utf8')
    : typeof body === 'string'
      ? body
      : JSON.stringify(body);
  if (type.includes('json')) {
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      return text;
    }
  }
  return type.includes('urlencoded') ? text.split('&').map(decoded).sort().join('&') : text;
}

function* documents(): Generator<[string, Json]> {
  const examples = 'node_modules/@readme/oas-examples';
  const places = ['2.0/json', '3.0/json', '3.1/json'].map((one) => join(examples, one));
  for (const place of [...places, ...(process.env.DOCUMENTS ?? '').split(',').filter(Boolean)]) {
    const files = place.endsWith('.json')
      ? [place]
      : readdirSync(place)
          .filter((one) => one.endsWith('.json'))
          .map((one) => join(place, one));
    for (const file of files) yield [file, JSON.parse(readFileSync(file, 'utf8')) as Json];
  }
}

const counts = { operations: 0, equal: 0, multipart: 0, unbuilt: 0, refused: 0, renamed: 0 };
const differences = new Map<string, { count: number; example: object }>();
const sample: object[] = [];
const kept = new Map<string, number>();
let ours = 0;
let theirs = 0;
for (const [file, document] of documents()) {
  const result = compileDocument(document);
  if ('issues' in result) continue;
  const { operations, securitySchemes } = result.model;
  for (const operation of operations) {
    // A path whose templates have no names is compiled with names, which the document does not have.
    if (!isObject(followed(document, (document.paths as Json)[operation.path]))) {
      counts.renamed += 1;
      continue;
    }
    counts.operations += 1;
    const guarded = guardedNames(securitySchemes);
    const values: Json = {};
    const theirValues: Json = {};
    for (const { name, wireName, in: place, schema } of operation.parameters) {
      const isGuarded =
        place !== 'path' && guarded[place].has(place === 'header' ? wireName.toLowerCase() : wireName);
      if (isGuarded) continue;
      const value = madeFor(document, schema);
      const short = place === 'header' || place === 'cookie' ? plain(value) : value;
      values[name] = short;
      theirValues[`${place}.${wireName}`] = short;
    }
    const [content] = operation.body?.contents.filter(({ mediaType }) => mediaType.includes('json')) ?? [];
    const chosen = content ?? operation.body?.contents[0];
    const options: Json = { parameters: theirValues };
    if (chosen?.mediaType.startsWith('multipart/')) {
      counts.multipart += 1;
      continue;
    }
    if (chosen) {
      const made = madeFor(document, chosen.schema);
      values.requestBodyPayload = made;
      values.bodyContentType = chosen.mediaType.includes('*') ? 'application/json' : chosen.mediaType;
      options.requestBody = made;
      options.requestContentType = values.bodyContentType;
      const own = (followed(document, (document.paths as Json)[operation.path]) as Json)[
        operation.method.toLowerCase()
      ] as Json;
      const shared =
        ((followed(document, (document.paths as Json)[operation.path]) as Json).parameters as unknown[]) ??
        [];
      for (const one of [...shared, ...((own.parameters as unknown[]) ?? [])]) {
        const parameter = followed(document, one) as Json;
        if (parameter.in === 'body') theirValues[`body.${String(parameter.name)}`] = made;
        if (parameter.in === 'formData' && isObject(made))
          theirValues[`formData.${String(parameter.name)}`] = made[String(parameter.name)];
      }
    }
    let own: Shape;
    try {
      const began = performance.now();
      const base = { url: 'https://lab.example.net/base', headers: {}, query: {}, guarded, boundary: 'x' };
      const { url, query, headers, cookies, body, method } = buildRequest(operation, values, base);
      ours += performance.now() - began;
      const all = { ...headers, ...(cookies.length > 0 && { Cookie: cookies.join('; ') }) };
      own = shapeOf(method, withQuery(url, query), all, body);
    } catch (error) {
      counts.refused += 1;
      note('we reject the values', file, operation, { message: (error as Error).message });
      continue;
    }
    let other: Shape;
    try {
      const began = performance.now();
      const built = peer.buildRequest({
        spec: alone(document, operation),
        pathName: operation.path,
        method: operation.method,
        operationId: idOf(document, operation),
        ...options,
      });
      theirs += performance.now() - began;
      other = shapeOf(built.method, built.url, built.headers, built.body);
    } catch (error) {
      counts.unbuilt += 1;
      note('it cannot build the request', file, operation, {
        message: (error as Error).message.slice(0, 200),
      });
      continue;
    }
    const parts = (['method', 'path', 'query', 'headers', 'body'] as const).filter(
      (part) => JSON.stringify(own[part]) !== JSON.stringify(other[part]),
    );
    if (parts.length === 0) {
      counts.equal += 1;
      const styles = new Set(
        operation.parameters.map(({ in: place, style, explode }) => `${place} ${style} ${explode}`),
      );
      keep(`${operation.method} ${chosen?.mediaType ?? ''} ${[...styles].sort().join(' ')}`, {
        operation,
        values,
        request: own,
      });
    } else
      note(
        `${parts.join(', ')} differ`,
        file,
        operation,
        Object.fromEntries(parts.map((part) => [part, { ours: own[part], theirs: other[part] }])),
      );
  }
}

/** A value that a header can carry. */
function plain(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/[^\x20-\x7e]/g, '').replace(/[/&=+,;:@?#%]/g, '') || 'a';
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
    : value;
}

function idOf(document: Json, { path, method }: ApiOperation): string {
  const item = followed(document, (document.paths as Json)[path]) as Json;
  const own = item[method.toLowerCase()] as Json;
  return typeof own.operationId === 'string' ? own.operationId : `${method.toLowerCase()}-${path}`;
}

function note(kind: string, file: string, { name, method, path, parameters }: ApiOperation, example: object) {
  const styles = kind.includes('differ')
    ? [
        ...new Set(
          parameters.map(
            ({ in: place, style, explode, mediaType }) => `${place}/${mediaType ?? style}/${explode}`,
          ),
        ),
      ].join(' ')
    : '';
  const key = `${kind} [${styles}]`;
  const known = differences.get(key);
  if (known) known.count += 1;
  else differences.set(key, { count: 1, example: { file, name, method, path, ...example } });
}

function keep(key: string, one: object) {
  const count = kept.get(key) ?? 0;
  kept.set(key, count + 1);
  if (count < 1 && JSON.stringify(one).length < 4000) sample.push(one);
}

console.log(counts, {
  oursUs: Math.round((ours * 1000) / counts.operations),
  theirsUs: Math.round((theirs * 1000) / counts.operations),
});
if (process.env.FIXTURE === '1') {
  writeFileSync('test/domains/integrations/calls/peer-requests.json', `${JSON.stringify(sample)}\n`);
  console.log(`${sample.length} requests recorded`);
}
for (const [kind, { count, example }] of [...differences].sort(([, a], [, b]) => b.count - a.count))
  console.log(count, kind, JSON.stringify(example).slice(0, 900));
