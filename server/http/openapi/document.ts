import { generateOpenApiDocument, type OpenApiRouter } from 'trpc-openapi';
import { z } from 'zod';
import { RELEASE } from '#server/kernel/config.ts';
import { declaredAnswer } from '#server/kernel/json-text.ts';
import { type Operation, operations } from '../operations.ts';
import { ABOUT } from './about.ts';
import {
  equalSchemas,
  inlineNameless,
  nameProperties,
  openAnswers,
  reachable,
  renamed,
  tidy,
} from './components.ts';
import { ErrorBody, HEADERS, sharedErrorResponses } from './errors.ts';
import { declareImportNulls } from './import-nulls.ts';
import { shownInput } from './inputs.ts';
import { type Content, type Description, describeOperation, openApiPath } from './operation.ts';
import { addPath, type Paths, sortedPaths } from './paths.ts';
import type { Schema, Schemas } from './schema.ts';
import { SECURITY_SCHEMES } from './security.ts';
import { tagOf, tagsOf } from './tags.ts';

const STREAM = z.string().meta({
  description: 'A stream of server-sent events.',
  examples: [
    'id: 1042\ndata: {"id":"1042","source":"@vendor/configuration-manager","topic":"backupStored","time":"2026-02-03T04:05:06.000Z","payload":{"_id":"65f0c1d2e3a4b5c6d7e8f901","name":"edge-1","date":"2026-02-03T04:05:05.000Z"}}\n\n',
  ],
});

/** The generator's document, as plain data. */
type OpenApiDocument = { openapi: string; info: object; paths?: Paths; components?: { schemas?: Schemas } };

let text: string | undefined;

/** Returns the OpenAPI 3.1 document of every REST endpoint as JSON text; generated once, on first use, which takes almost two seconds. */
export function openApiText(): string {
  text ??= writeOpenApi(operations);
  return text;
}

/**
 * Describes operations. The generator of trpc-openapi writes their schemas; this code adds the rest: how parameters
 * nest, what DELETE reads, the one error shape, required roles, examples (decision 0040 lists what the generator omits
 * or gets wrong).
 *
 * @returns JSON text, always the same for the same operations
 * @throws Error naming the position of a schema that JSON Schema cannot express
 */
export function writeOpenApi(described: readonly Operation[]): string {
  const { openapi, info, paths = {}, components: { schemas = {} } = {} } = generate(described);
  const writtenOf = ({ name, method, path }: Operation): Description => {
    const found = paths[openApiPath(path)]?.[method.toLowerCase()];
    if (!found) throw new Error(`${name} is missing in the generated document`);
    return found;
  };
  const requests: Schema[] = [];
  const answers: Schema[] = [{ $ref: '#/components/schemas/Error' }];
  for (const operation of described) {
    const { parameters, requestBody, responses } = writtenOf(operation);
    requests.push(...(parameters ?? []).map(({ schema }) => schema), ...schemasIn(requestBody?.content));
    answers.push(...Object.values(responses).flatMap(({ content }) => schemasIn(content)));
  }
  inlineNameless(schemas, [...requests, ...answers]);
  for (const schema of [...requests, ...answers, ...Object.values(schemas)]) tidy(schema);
  declareImportNulls(schemas, requests, answers);
  openAnswers(schemas, requests, answers);
  for (const schema of [...requests, ...answers, ...Object.values(schemas)]) nameProperties(schema);

  const complete: Paths = {};
  const descriptions = described.map((operation) => ({
    operation,
    description: describeOperation(writtenOf(operation), operation, schemas),
  }));
  for (const { operation, description } of descriptions)
    addPath(complete, operation, operation.path, description);
  for (const { operation, description } of descriptions) {
    for (const [index, alias] of (operation.meta.aliases ?? []).entries()) {
      const operationId = `${description.operationId}_${index + 2}`;
      addPath(complete, operation, alias, { ...description, operationId });
    }
  }

  const same = equalSchemas(schemas);
  const used = reachable(schemas, [...requests, ...answers]);
  for (const [twin, base] of same) if (used.has(twin)) used.add(base);
  const names = Object.keys(schemas).filter((name) => used.has(name) && !same.has(name));
  const document = {
    openapi,
    info,
    servers: [{ url: '/' }],
    tags: tagsOf(described.map(({ name }) => name)),
    paths: sortedPaths(complete),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      responses: sharedErrorResponses(complete),
      schemas: Object.fromEntries(names.sort().map((name) => [name, schemas[name]])),
    },
  };
  return renamed(document, same);
}

/** Returns what the generator of trpc-openapi writes for these operations; it is given inputs that it can read. */
function generate(described: readonly Operation[]): OpenApiDocument {
  const procedures = Object.fromEntries(
    described.map((operation) => {
      const { name, meta, procedure } = operation;
      const { _def } = procedure;
      const openapi = {
        ...meta.openapi,
        operationId: name.replaceAll('.', '_'),
        tags: [tagOf(name)],
        protect: false,
        errorResponses: [],
      };
      const output = declaredAnswer(_def.output) ?? _def.output;
      return [
        name,
        // The generator does not know subscriptions: on the wire a subscription is a read with a text response.
        operation.resumes
          ? { _def: { type: 'query', meta: { openapi }, inputs: [shownInput(operation)], output: STREAM } }
          : { _def: { type: _def.type, meta: { openapi }, inputs: [shownInput(operation)], output } },
      ];
    }),
  );
  // The generator reads only the definitions of a router's procedures.
  const router = { _def: { procedures } } as unknown as OpenApiRouter;
  const written = generateOpenApiDocument(router, {
    ...ABOUT,
    version: RELEASE,
    baseUrl: '/',
    securitySchemes: {},
    defs: { Error: ErrorBody },
  });
  // The generator's type covers all of OpenAPI 3.1; its output is the part that OpenApiDocument describes.
  return written as unknown as OpenApiDocument;
}

const schemasIn = (content: Content = {}) => Object.values(content).map(({ schema }) => schema);
