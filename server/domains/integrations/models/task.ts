import type { AdapterTask } from '../adapter-task.ts';
import type { ApiOperation, DocumentSchema, OperationBody } from '../api-operation.ts';
import { asJsonSchema, type Replacement } from './json-schema.ts';

/** The model of a task: its version id, and the title that is shown on the canvas. */
export type TaskModel = { versionId: string; title: string };

/** A referred schema by its name alone: a task's own schema stays small, whatever its document refers to. */
const nameOnly: Replacement = (reference) => ({ title: reference.slice(reference.lastIndexOf('/') + 1) });

/**
 * Returns an operation as a task. Its schemas are JSON Schema; where they refer to others they contain only their names
 * (`bundledSchemas` returns them whole).
 */
export function taskOf(operation: ApiOperation, { versionId, title }: TaskModel): AdapterTask {
  const { name, summary, description, deprecated, effect } = operation;
  return {
    type: versionId,
    name,
    displayName: title,
    summary,
    description,
    deprecated,
    incoming: incomingOf(operation, nameOnly),
    outgoing: { response: responseSchema({}) },
    effect,
    call: { provider: 'document', model: versionId, operation },
  };
}

/** Returns the incoming values of an operation by name: its parameters, and its body with the media type of that. */
export function incomingOf(
  { parameters, body }: ApiOperation,
  replace: Replacement,
): AdapterTask['incoming'] {
  return {
    ...Object.fromEntries(
      parameters.map(({ name, schema, description, required }) => [
        name,
        { schema: described(asJsonSchema(schema, replace), description), required },
      ]),
    ),
    ...(body && bodyOf(body, replace)),
  };
}

function bodyOf(body: OperationBody, replace: Replacement): AdapterTask['incoming'] {
  const types = body.contents.map(({ mediaType }) => mediaType);
  const usual = usualContent(body);
  return {
    bodyContentType: {
      schema: { type: 'string', enum: types, ...(usual && { default: usual.mediaType }) },
      required: false,
    },
    requestBodyPayload: {
      schema: described(asJsonSchema(usual?.schema ?? {}, replace), body.description),
      required: body.required,
    },
  };
}

/** Returns the media type in which a body is sent when the task does not say: the first JSON one, else the first. */
export const usualContent = ({ contents }: OperationBody) =>
  contents.find(({ mediaType }) => /^[^;]*[/+]json\s*(?:;|$)/i.test(mediaType)) ?? contents[0];

/** Returns the schema of a task's outgoing `response`. @param body schema of its body */
export const responseSchema = (body: DocumentSchema | boolean): DocumentSchema => ({
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    url: { type: 'string' },
    status: { type: 'integer' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body,
  },
});

function described(schema: DocumentSchema | boolean, description: string): DocumentSchema {
  const written = schema === true ? {} : schema === false ? { not: {} } : schema;
  return description === '' || written.description !== undefined ? written : { ...written, description };
}
