import { isObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import type { BodyContent, FieldEncoding, OperationBody, ParameterStyle } from '../../api-operation.ts';
import { collectionStyle, type DeclaredParameter, plainSchema, schemaOf } from './parameters.ts';
import { follow } from './references.ts';
import type { Warnings } from './warnings.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** Returns the body of an operation of OpenAPI 3; undefined when it has none. @throws UnusableOperation */
export function readBody(
  document: object,
  value: unknown,
  at: readonly (string | number)[],
  warnings: Warnings,
): OperationBody | undefined {
  if (value === undefined || value === null) return undefined;
  const body = follow(document, value, 'the body');
  const contents = isObject(body.content) ? Object.entries(body.content) : [];
  if (contents.length === 0) {
    warnings.add([...at, 'requestBody'], 'has no media type: no body is sent');
    return undefined;
  }
  return {
    required: body.required === true,
    description: textOrEmpty(body.description),
    contents: contents.map(([mediaType, content]) => contentOf(document, mediaType, content)),
  };
}

function contentOf(document: object, mediaType: string, value: unknown): BodyContent {
  const content = value === null ? {} : follow(document, value, `the body as ${mediaType}`);
  const encoding = isObject(content.encoding) ? content.encoding : {};
  return {
    mediaType,
    schema: schemaOf(content.schema),
    encoding: Object.fromEntries(
      Object.entries(encoding).flatMap(([name, one]) => (isObject(one) ? [[name, encodingOf(one)]] : [])),
    ),
  };
}

/** Styles of a field of a form (OpenAPI 3.1 §4.8.15.1). */
const STYLES: readonly ParameterStyle[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'];

function encodingOf({ contentType, style, explode }: Record<string, unknown>): FieldEncoding {
  const known = STYLES.find((one) => one === style);
  return {
    ...(typeof contentType === 'string' && { mediaType: contentType }),
    ...(known && { style: known }),
    ...(typeof explode === 'boolean' && { explode }),
  };
}

/**
 * Returns the body of an operation of Swagger 2.0: its parameter in `body`, or its form.
 *
 * @param consumes media types of the operation, or of the document
 */
export function readPlainBody(
  declared: readonly DeclaredParameter[],
  consumes: unknown,
  warnings: Warnings,
): OperationBody | undefined {
  const bodies = declared.filter(({ value }) => value.in === 'body');
  const fields = declared.filter(({ value }) => value.in === 'formData');
  const [body, second] = bodies;
  if (second) warnings.add(second.at, 'is a second body: the first one is sent');
  const types = Array.isArray(consumes) ? consumes.filter((type) => typeof type === 'string') : [];
  if (body) {
    if (fields[0]) warnings.add(fields[0].at, 'is a field of a form beside a body: the body is sent');
    const schema = schemaOf(body.value.schema);
    return {
      required: body.value.required === true,
      description: textOrEmpty(body.value.description),
      contents: (types.length > 0 ? types : [JSON_TYPE]).map((mediaType) => ({
        mediaType,
        schema,
        encoding: {},
      })),
    };
  }
  return fields.length > 0 ? formOf(fields, types) : undefined;
}

function formOf(fields: readonly DeclaredParameter[], types: readonly string[]): OperationBody {
  const hasFile = fields.some(({ value }) => value.type === 'file');
  const forms = types.filter((type) => type === MULTIPART || (type === FORM && !hasFile));
  const required = fields
    .filter(({ value }) => value.required === true)
    .map(({ value }) => String(value.name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ value }) => [String(value.name), fieldSchema(value)])),
    ...(required.length > 0 && { required }),
  };
  const lists = fields.filter(({ value }) => value.type === 'array');
  const encoding = Object.fromEntries(lists.map(({ value }) => [String(value.name), collectionStyle(value)]));
  return {
    required: required.length > 0,
    description: '',
    contents: (forms.length > 0 ? forms : [hasFile ? MULTIPART : FORM]).map((mediaType) => ({
      mediaType,
      schema,
      encoding,
    })),
  };
}

function fieldSchema(value: Record<string, unknown>) {
  const { description } = value;
  return {
    ...(value.type === 'file' ? { type: 'string', format: 'binary' } : plainSchema(value)),
    ...(typeof description === 'string' && { description }),
  };
}
