import { isObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import type { DocumentSchema, OperationParameter, ParameterStyle } from '../../api-operation.ts';
import { freeName } from './operation-names.ts';
import { follow, UnusableOperation } from './references.ts';
import type { Warnings } from './warnings.ts';

/** A parameter as the document has it, with its position for warnings. */
export type DeclaredParameter = { value: Record<string, unknown>; at: readonly (string | number)[] };

type Specification = '2.0' | '3.0' | '3.1';

/** Most parameters of one operation. */
const MOST = 1000;

/** Names of incoming values that a task always has, or that ask for something of ours. */
const RESERVED = ['adapter_id', 'allPages', 'bodyContentType', 'requestBodyPayload'];

/**
 * Returns the parameters that a document declares for an operation, those of the operation before those of its path;
 * a parameter of the operation replaces the one of the path with the same name and place.
 *
 * @throws UnusableOperation for a list or parameter that cannot be read
 */
export function declaredParameters(
  document: object,
  lists: readonly { values: unknown; at: readonly (string | number)[] }[],
): DeclaredParameter[] {
  const declared = new Map<string, DeclaredParameter>();
  for (const { values, at } of lists) {
    if (values === undefined || values === null) continue;
    if (!Array.isArray(values)) throw new UnusableOperation('its parameters are not a list');
    if (declared.size + values.length > MOST)
      throw new UnusableOperation(`it has more than ${MOST} parameters`);
    for (const [index, one] of values.entries()) {
      const value = follow(document, one, `parameter ${index + 1}`);
      const { name } = value;
      if (typeof name !== 'string' || name === '') {
        throw new UnusableOperation(`parameter ${index + 1} has no name`);
      }
      if (hasControls(name))
        throw new UnusableOperation(`parameter ${index + 1} has control characters in its name`);
      // A form can have several fields of one name in 2.0; the first one counts, as for all parameters.
      const key = `${String(value.in)}\n${name}`;
      if (!declared.has(key)) declared.set(key, { value, at: [...at, index] });
    }
  }
  return [...declared.values()];
}

/** Returns whether a text has control characters, which no header and no path accepts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that a name must not have
export const hasControls = (text: string): boolean => /[\x00-\x1f\x7f-\x9f]/.test(text);

const PLACES = ['path', 'query', 'header', 'cookie'] as const;
type Place = (typeof PLACES)[number];

const isPlace = (value: unknown): value is Place => PLACES.some((place) => place === value);

/** Headers that OpenAPI derives from the body, the answer and the security schemes (OpenAPI 3.1 §4.8.12). */
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);

/** Returns the parameters of an operation outside its body, without names of incoming values yet. */
export function readParameters(
  declared: readonly DeclaredParameter[],
  specification: Specification,
  warnings: Warnings,
): OperationParameter[] {
  return declared.flatMap(({ value, at }) => {
    const { name, in: place } = value;
    if (typeof name !== 'string') return [];
    if (specification === '2.0' && (place === 'body' || place === 'formData')) return [];
    if (!isPlace(place) || (specification === '2.0' && place === 'cookie')) {
      throw new UnusableOperation(`parameter ${name} is in ${String(place)}, which is no place for one`);
    }
    if (place === 'header' && isCarried(name, specification)) {
      warnings.add(at, `${name} is set by the call itself and is no parameter`);
      return [];
    }
    return [
      specification === '2.0'
        ? plainParameter(value, name, place, at, warnings)
        : parameter(value, name, place, at, warnings),
    ];
  });
}

/** Swagger 2.0 has no other way to declare `Accept` and `Content-Type`, so that only the credential is left out. */
const isCarried = (name: string, specification: Specification) =>
  specification === '2.0' ? name.toLowerCase() === 'authorization' : NOT_PARAMETERS.has(name.toLowerCase());

/** Styles by place, the default first (OpenAPI 3.1 §4.8.12.3). */
const STYLES: Record<Place, readonly ParameterStyle[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

function parameter(
  value: Record<string, unknown>,
  name: string,
  place: Place,
  at: DeclaredParameter['at'],
  warnings: Warnings,
): OperationParameter {
  const [usual = 'form'] = STYLES[place];
  const style = STYLES[place].find((one) => one === value.style) ?? usual;
  if (value.style !== undefined && style !== value.style) {
    warnings.add([...at, 'style'], `is no style of a ${place} parameter: ${style} is used`);
  }
  const [mediaType, content] = isObject(value.content) ? (Object.entries(value.content)[0] ?? []) : [];
  return {
    ...common(value, name, place),
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    allowReserved: value.allowReserved === true,
    schema: schemaOf(isObject(content) ? content.schema : value.schema),
    ...(mediaType !== undefined && { mediaType }),
  };
}

/** `collectionFormat` of Swagger 2.0 as a style. */
const COLLECTIONS: Readonly<Record<string, ParameterStyle>> = {
  csv: 'form',
  multi: 'form',
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
};

/** Returns how a list of Swagger 2.0 is written: `csv` unless the parameter says otherwise. */
export function collectionStyle(value: Record<string, unknown>): { style: ParameterStyle; explode: boolean } {
  const format = typeof value.collectionFormat === 'string' ? value.collectionFormat : 'csv';
  return { style: COLLECTIONS[format] ?? 'form', explode: format === 'multi' };
}

/** Returns a parameter of Swagger 2.0, whose type is among its own fields. */
function plainParameter(
  value: Record<string, unknown>,
  name: string,
  place: Place,
  at: DeclaredParameter['at'],
  warnings: Warnings,
): OperationParameter {
  const { style, explode } = collectionStyle(value);
  const { collectionFormat } = value;
  if (collectionFormat !== undefined && !Object.hasOwn(COLLECTIONS, String(collectionFormat))) {
    warnings.add([...at, 'collectionFormat'], 'is not known: csv is used');
  }
  return {
    ...common(value, name, place),
    // A list in a path or header has no name before it.
    style: style === 'form' && (place === 'path' || place === 'header') ? 'simple' : style,
    explode,
    allowReserved: false,
    schema: plainSchema(value),
  };
}

/** Fields of a 2.0 parameter that are not part of its schema. */
const NOT_SCHEMA = new Set([
  'name',
  'in',
  'required',
  'description',
  'collectionFormat',
  'allowEmptyValue',
  'schema',
]);

/** Returns the schema of a parameter of Swagger 2.0. */
export function plainSchema(value: Record<string, unknown>): DocumentSchema {
  if (isObject(value.schema)) return value.schema;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !NOT_SCHEMA.has(name) && !name.startsWith('x-')),
  );
}

const common = (value: Record<string, unknown>, name: string, place: Place) => ({
  name,
  wireName: name,
  in: place,
  required: place === 'path' || value.required === true,
  description: textOrEmpty(value.description),
});

/** Returns a schema as an object; `true` and `false`, which 3.1 allows, become objects of the same meaning. */
export const schemaOf = (value: unknown): DocumentSchema =>
  isObject(value) ? value : value === false ? { not: {} } : {};

/**
 * Gives each parameter the name of its incoming value: its own, or `<in>_<name>` where another one has that name, or
 * every task has a value of that name.
 */
export function withTaskNames(parameters: readonly OperationParameter[]): OperationParameter[] {
  const taken = new Set(RESERVED);
  return parameters.map((one) => {
    const name = taken.has(one.wireName) ? freeName(`${one.in}_${one.wireName}`, taken) : one.wireName;
    taken.add(name);
    return { ...one, name };
  });
}
