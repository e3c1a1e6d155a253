import { createRequire } from 'node:module';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { pointerNames } from '#server/kernel/json/pointer.ts';
import type { CompiledModel } from '../api-operation.ts';
import type { Warning } from './compile/warnings.ts';

const SCHEMAS = '@seriousme/openapi-schema-validator';
const require = createRequire(import.meta.url);

const OPTIONS: Options = { strict: false, logger: false, allErrors: true };

/** Most violations that are reported. */
const MOST = 50;

const validators = new Map<string, ValidateFunction>();

/**
 * Returns where a document does not meet the schema of its specification, deepest places first. They are warnings: many
 * documents that are in use have some.
 *
 * @param document as parsed
 * @param specification version whose schema applies
 */
export function violationsOf(document: object, specification: CompiledModel['specification']): Warning[] {
  const validate = validators.get(specification) ?? load(specification);
  validators.set(specification, validate);
  if (validate(document)) return [];
  return telling(validate.errors ?? []).map(({ instancePath, message = 'is not valid', params }) => ({
    path: pointerNames(instancePath) ?? [],
    message: `${message}${shown(params)}`,
  }));
}

/** Loads the compiler and a schema on first use: few threads ever read a document. */
function load(specification: string): ValidateFunction {
  const schema = require(`${SCHEMAS}/schemas/v${specification}/schema.json`) as { $schema: string };
  const addFormats = (require('ajv-formats') as typeof import('ajv-formats')).default;
  const ajv = schema.$schema.includes('draft-04') ? draft4() : draft2020();
  // Its type names the class of one version of Ajv; it accepts both of those above.
  addFormats(ajv as never);
  ajv.addFormat('media-range', true);
  return ajv.compile(schema);
}

function draft2020() {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new Ajv2020(OPTIONS);
}

function draft4() {
  // The package of the schemas brings the compiler of their draft.
  const { default: Ajv04 } = createRequire(require.resolve(SCHEMAS))('ajv-draft-04') as {
    default: new (options: Options) => ReturnType<typeof draft2020>;
  };
  return new Ajv04(OPTIONS);
}

/** Keywords that only say that another error lies below. */
const WRAPPERS = new Set(['oneOf', 'anyOf', 'not', 'if']);

/**
 * Leaves out errors that follow from others: where an object may be a reference instead, every error in it is
 * accompanied by one that says that it is no reference.
 */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const meant = errors.filter(
    ({ keyword, schemaPath, params }) =>
      !WRAPPERS.has(keyword) && !/reference/i.test(schemaPath) && params.missingProperty !== '$ref',
  );
  const places = new Set<string>();
  const deepest = (meant.length > 0 ? meant : errors).toSorted(
    (a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length,
  );
  return deepest
    .filter(({ instancePath }) => {
      const isNew = ![...places].some(
        (place) => place === instancePath || place.startsWith(`${instancePath}/`),
      );
      if (isNew && places.size < MOST) places.add(instancePath);
      return isNew;
    })
    .slice(0, MOST);
}

const shown = ({ additionalProperty, allowedValues }: Record<string, unknown>): string => {
  if (typeof additionalProperty === 'string') return `: ${additionalProperty.slice(0, 100)}`;
  return Array.isArray(allowedValues) ? `: ${allowedValues.slice(0, 10).join(', ')}` : '';
};
