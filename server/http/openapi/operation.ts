import type { z } from 'zod';
import type { Operation } from '#server/http/operations.ts';
import { declaredAnswer, LINE_TYPES } from '#server/kernel/json-text.ts';
import { distinguishGoNames } from './components.ts';
import { errorResponseOf, errorStatusesOf, headersOf } from './errors.ts';
import { accepts, exampleOf } from './examples.ts';
import { inputsOf, mayBeAbsent } from './inputs.ts';
import { mayBeObject, resolve, type Schema, type Schemas, withoutNull } from './schema.ts';
import { securityOf } from './security.ts';

/** A parameter of the document. */
export type Parameter = {
  [extension: `x-${string}`]: unknown;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  style?: string;
  explode?: boolean;
  example?: unknown;
  schema: Schema;
};

/** A body by its media type. */
export type Content = Record<string, { schema: Schema; example?: unknown }>;

/** The document's description of one operation; the generator writes the schemas, this code the rest. */
export type Description = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; description?: string; content: Content };
  responses: Record<string, { description?: string; headers?: unknown; content?: Content; $ref?: string }>;
  [key: string]: unknown;
};

/** Completes the generator's description of an operation: parameters, body, responses, required roles. */
export function describeOperation(written: Description, operation: Operation, schemas: Schemas): Description {
  const { meta, method } = operation;
  const { sentence, ...access } = securityOf(operation);
  const summary = meta.openapi?.summary ?? operation.name;
  const parameters = parametersOf(written.parameters ?? [], operation, schemas);
  const inPath = Object.fromEntries(
    parameters.filter(({ in: where }) => where === 'path').map(({ name, example }) => [name, example]),
  );
  const takes = (body: unknown) => accepts(operation.input, { ...inPath, ...(body as object) });
  const requestBody =
    method === 'DELETE'
      ? deleteBody(operation, parameters, schemas, takes)
      : bodyOf(written, operation, schemas, takes);
  return {
    tags: written.tags,
    summary,
    description: [meta.openapi?.description, ...aliasSentence(operation), sentence]
      .filter((part) => part !== undefined)
      .join('\n\n'),
    operationId: written.operationId,
    ...(meta.openapi?.deprecated && { deprecated: true }),
    ...access,
    ...(meta.aliases && { 'x-aliases': meta.aliases.map(openApiPath) }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(written, operation, schemas),
  };
}

/** Returns `/area/:id` in OpenAPI's notation: `/area/{id}`. @param path with parameters that begin with a colon */
export const openApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}');

const aliasSentence = ({ meta }: Operation) =>
  meta.aliases ? [`Also at ${meta.aliases.map((path) => `\`${openApiPath(path)}\``).join(', ')}.`] : [];

/** Completes parameters from the operation's own schema: which are required, and how they are written in a URL. */
function parametersOf(written: Parameter[], operation: Operation, schemas: Schemas): Parameter[] {
  const { path, options, others, free } = inputsOf(operation);
  const byName: Record<string, z.ZodType> = { ...options, ...others, ...path };
  const parameters = written.map((one) => parameterOf(one, byName[one.name], operation, schemas));
  distinguishGoNames(parameters.filter(({ in: where }) => where === 'query').map((one) => [one.name, one]));
  if (operation.resumes) parameters.push(resumeParameter());
  return free && operation.queried ? [...parameters, freeParameter()] : parameters;
}

/** @param own schema of the operation for this name; undefined when it has none */
function parameterOf(
  { name, in: where, schema: declared }: Parameter,
  own: z.ZodType | undefined,
  { method, meta }: Operation,
  schemas: Schemas,
): Parameter {
  const schema = where === 'query' ? queried(declared, schemas) : declared;
  const isNeeded = own !== undefined && !mayBeAbsent(own);
  const mayBeInBody = method === 'DELETE' && where === 'query';
  const required = where === 'path' || (isNeeded && !mayBeInBody);
  const nests = where === 'query' && mayBeObject(schema, schemas);
  const takes = (value: unknown) => own === undefined || accepts(own, value);
  // Pages that try a document fill in examples: an unwanted filter in the example would leave no results.
  const none = nests && takes({}) ? { value: {} } : undefined;
  const example = required ? exampleOf(schema, schemas, takes, name) : none;
  const description = [
    resolve(schema, schemas).description,
    nests ? `In brackets, \`${name}[field]=value\`, or as JSON text.` : undefined,
    name === meta.greedy ? 'May contain slashes.' : undefined,
    isNeeded && mayBeInBody ? 'Required, here or in the body.' : undefined,
  ].filter((part) => part !== undefined);
  return {
    name,
    in: where,
    ...(description.length > 0 && { description: description.map(sentenced).join(' ') }),
    ...(required && { required }),
    ...(nests && { style: 'deepObject', explode: true }),
    ...(example && { example: example.value }),
    schema,
  };
}

/**
 * Returns the schema of a parameter of a query: never null, which a query cannot express, and plain text where it stands, because
 * `openapi-generator` sends whatever is referred to as an object, field by field.
 */
function queried(declared: Schema, schemas: Schemas): Schema {
  const schema = withoutNull(declared);
  return mayBeObject(schema, schemas) ? schema : resolve(schema, schemas);
}

/** Returns the header that a browser sends by itself when it reconnects to a stream. */
const resumeParameter = (): Parameter => ({
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Id of the last event that was received; it takes precedence over `lastEventId`.',
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
});

/** Returns the parameter for any further names: OpenAPI expresses them as an exploded object of the style `form`. */
const freeParameter = (): Parameter => ({
  name: 'members',
  in: 'query',
  description: 'Further parameters of any name.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: true },
});

const sentenced = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Returns whether a body, together with the examples of the path, is a valid input of the operation. */
type OperationInput = (body: unknown) => boolean;

/**
 * Returns the body of a DELETE, which also accepts its fields as JSON (contract/decisions#delete), with the schemas of
 * its parameters.
 */
function deleteBody(
  operation: Operation,
  parameters: Parameter[],
  schemas: Schemas,
  takes: OperationInput,
): Description['requestBody'] {
  const { options, others } = inputsOf(operation);
  const { container } = operation;
  const object = (fields: Record<string, z.ZodType>): Schema => {
    const queried = parameters.filter(({ name, in: where }) => where === 'query' && name in fields);
    const required = queried
      .map(({ name }) => name)
      .filter((name) => fields[name] && !mayBeAbsent(fields[name]));
    return {
      type: 'object',
      properties: Object.fromEntries(queried.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  };
  const schema = object(others);
  if (container && Object.keys(options).length > 0) {
    schema.properties = { ...schema.properties, [container]: object(options) };
  }
  if (Object.keys(schema.properties ?? {}).length === 0) return undefined;
  const example = exampleOf(schema, schemas, takes);
  return {
    required: false,
    description:
      'The fields of the query, sent as a body instead; a field in both places must have the same value.',
    content: { 'application/json': { schema, ...(example && { example: example.value }) } },
  };
}

/** Returns the body of POST, PUT and PATCH; undefined when the operation has only path parameters. */
function bodyOf(
  { requestBody }: Description,
  operation: Operation,
  schemas: Schemas,
  takes: OperationInput,
): Description['requestBody'] {
  const { others, path, free } = inputsOf(operation);
  if (!requestBody || (Object.keys(others).length === 0 && !free)) return undefined;
  const { bare } = operation.meta;
  const content: Content = {};
  for (const [type, { schema }] of Object.entries(requestBody.content)) {
    const whole = withoutPath(schema, Object.keys(path));
    const document = bare === undefined ? undefined : whole.properties?.[bare];
    // Zod omits the examples of schemas with transforms, which most requests contain.
    const stated = statedExample(operation, takes);
    const example =
      stated ??
      (bare !== undefined && document
        ? exampleOf(document, schemas, (one) => takes({ [bare]: one }))
        : exampleOf(whole, schemas, takes));
    content[type] = {
      // The body is the document itself, or an object that holds it under its name (contract/lifecycle#0.2.6).
      schema: document ? { anyOf: [document, whole] } : whole,
      ...(example && { example: example.value }),
    };
  }
  return { required: !takes({}), content };
}

/** Returns the example that an operation's input declares, as it appears in a body. */
function statedExample({ input }: Operation, takes: OperationInput): { value: unknown } | undefined {
  const { examples } = input.meta() ?? {};
  const value = Array.isArray(examples) ? examples.find(takes) : undefined;
  return value === undefined ? undefined : { value };
}

/** Removes path parameters from examples, which are of the whole input. */
function withoutPath(schema: Schema, names: readonly string[]): Schema {
  if (!schema.examples || names.length === 0) return schema;
  const examples = schema.examples.map((example) =>
    Object.fromEntries(Object.entries(example as object).filter(([name]) => !names.includes(name))),
  );
  return { ...schema, examples };
}

function responsesOf(written: Description, operation: Operation, schemas: Schemas): Description['responses'] {
  const { meta, procedure } = operation;
  const { schema } = written.responses[200]?.content?.['application/json'] ?? { schema: {} };
  const statuses = meta.statuses ?? { 200: resolve(schema, schemas).description ?? 'The answer.' };
  const declared = declaredAnswer(procedure._def.output);
  const example = exampleOf(schema, schemas, (one) => !declared || accepts(declared, one));
  const media = { schema, ...(example && { example: example.value }) };
  const { produces = 'application/json' } = meta;
  const types: readonly string[] = produces === LINE_TYPES[0] ? LINE_TYPES : [produces];
  const content = Object.fromEntries(types.map((type) => [type, media]));
  const responses: Description['responses'] = {};
  for (const [status, description] of Object.entries(statuses)) {
    responses[status] = { description, headers: headersOf(), ...(status !== '204' && { content }) };
  }
  for (const status of errorStatusesOf(operation)) responses[status] = errorResponseOf(operation, status);
  return responses;
}
