import { validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';

/** The OpenAPI document as a reader sees it. */
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string; description: string; license: object; contact: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, Json>;
    responses: Record<string, Answered>;
    headers: Json;
    securitySchemes: Json;
  };
};

export type Json = Record<string, unknown>;
export type Answered = { description: string; headers: Json; content?: Content };
type Content = Record<string, { schema: Json; example?: unknown }>;
export type Described = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Json[];
  'x-roles'?: string[];
  'x-permission'?: string;
  parameters?: (Json & { name: string; in: string; schema: Json; required?: boolean; example?: unknown })[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Answered & { $ref?: string }>;
};

/** What two validators, each written on its own, find wrong with a document, warnings included. */
export async function faultsOf(text: string): Promise<unknown[]> {
  const first = await validate(JSON.parse(text));
  const second = await new Validator().validate(JSON.parse(text));
  return [
    ...(first.valid ? [] : first.errors),
    ...first.warnings,
    ...(second.valid ? [] : [second.errors].flat()),
  ];
}

/** Every operation of a document with its place: `GET /area/{id}`. */
export const operationsIn = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      at: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      described,
    })),
  );

/** A response, whether it is in the operation or shared. */
export function responseOf(document: OpenApi, described: Described, status: number): Answered | undefined {
  const response = described.responses[status];
  const shared = response?.$ref?.split('/').at(-1);
  return shared ? document.components.responses[shared] : response;
}

/** Every example of a document that its own schema rejects: `<place>: <why>`. */
export function wrongExamples(document: OpenApi): string[] {
  const given: { place: string; schema: Json; example: unknown }[] = [];
  const take = (place: string, content: Content = {}) => {
    for (const { schema, example } of Object.values(content)) {
      if (example !== undefined) given.push({ place, schema, example });
    }
  };
  for (const { at, described } of operationsIn(document)) {
    for (const { name, schema, example } of described.parameters ?? []) {
      if (example !== undefined) given.push({ place: `${at} ${name}`, schema, example });
    }
    take(`${at} body`, described.requestBody?.content);
    for (const [status, { content }] of Object.entries(described.responses)) take(`${at} ${status}`, content);
  }
  for (const [name, { content }] of Object.entries(document.components.responses)) take(name, content);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const example of (schema.examples as unknown[] | undefined) ?? [])
      given.push({ place: name, schema, example });
  }
  // One schema of them all: each reader makes what the schemas share anew, which took most of a minute.
  const properties = Object.fromEntries(given.map(({ schema }, at) => [`at ${at}`, schema]));
  const examples = Object.fromEntries(given.map(({ example }, at) => [`at ${at}`, example]));
  const read = readerOf(document, { type: 'object', properties }).safeParse(examples);
  const wrong = new Map<PropertyKey | undefined, string>();
  for (const {
    path: [at, ...path],
    message,
  } of read.error?.issues ?? []) {
    const { place, example } = given[Number(String(at).slice(3))] ?? {};
    if (!wrong.has(at))
      wrong.set(at, `${place}: ${path.join('.')}: ${message} in ${JSON.stringify(example)}`);
  }
  return [...wrong.values()];
}

/**
 * Reads values as a schema of the document says: Zod's own reader of JSON Schema, which wrote none of it. It knows no
 * Unicode classes in patterns, which JSON Schema has: what has them is read without its pattern.
 */
export function readerOf(document: OpenApi, schema: Json): z.ZodType {
  const $defs = definitions.get(document) ?? (moved(document.components.schemas) as Record<string, Json>);
  definitions.set(document, $defs);
  return z.fromJSONSchema({ ...(moved(schema) as Json), $defs });
}

const definitions = new WeakMap<OpenApi, Record<string, Json>>();

/** A schema with its references to components turned into such to `$defs`. */
const moved = (value: unknown): unknown => {
  const text = JSON.stringify(value, (key, one: unknown) =>
    key === 'pattern' && typeof one === 'string' && one.includes('\\p{') ? undefined : one,
  );
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/'));
};
