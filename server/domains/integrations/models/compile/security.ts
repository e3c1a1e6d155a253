import { isObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import type { SecurityAlternative, SecurityScheme } from '../../api-operation.ts';
import { follow, UnusableOperation } from './references.ts';
import type { Warnings } from './warnings.ts';

type Schemes = Readonly<Record<string, SecurityScheme>>;

/** Returns the security schemes of a document by name; those of no known type are left out. */
export function readSchemes(
  document: Record<string, unknown>,
  isPlain: boolean,
  warnings: Warnings,
): Schemes {
  const components = isObject(document.components) ? document.components : {};
  const at = isPlain ? ['securityDefinitions'] : ['components', 'securitySchemes'];
  const declared = isPlain ? document.securityDefinitions : components.securitySchemes;
  if (!isObject(declared)) return {};
  const schemes: Record<string, SecurityScheme> = {};
  for (const [name, value] of Object.entries(declared)) {
    const scheme = readScheme(document, value);
    if (scheme) schemes[name] = scheme;
    else warnings.add([...at, name], 'is no security scheme that can be used');
  }
  return schemes;
}

function readScheme(document: object, declared: unknown): SecurityScheme | undefined {
  let value: Record<string, unknown>;
  try {
    value = follow(document, declared, 'the scheme');
  } catch (error) {
    if (error instanceof UnusableOperation) return undefined;
    throw error;
  }
  switch (value.type) {
    case 'basic':
      return { type: 'http', scheme: 'basic' };
    case 'http':
      return typeof value.scheme === 'string'
        ? { type: 'http', scheme: value.scheme.toLowerCase() }
        : undefined;
    case 'apiKey':
      return apiKey(value);
    case 'oauth2':
      return { type: 'oauth2', flows: isObject(value.flows) ? flowsOf(value.flows) : plainFlow(value) };
    case 'openIdConnect':
      return typeof value.openIdConnectUrl === 'string'
        ? { type: 'openIdConnect', openIdConnectUrl: value.openIdConnectUrl }
        : undefined;
    case 'mutualTLS':
      return { type: 'mutualTLS' };
    default:
      return undefined;
  }
}

/** The extension by which a document says that its API key is a signature of AWS. */
const SIGNATURE = 'x-amazon-apigateway-authtype';

function apiKey(value: Record<string, unknown>): SecurityScheme | undefined {
  const { name } = value;
  const place = (['query', 'header', 'cookie'] as const).find((one) => one === value.in);
  if (typeof name !== 'string' || !place) return undefined;
  return {
    type: 'apiKey',
    name,
    in: place,
    sigV4: textOrEmpty(value[SIGNATURE]).toLowerCase() === 'awssigv4',
  };
}

type Flow = { tokenUrl?: string; refreshUrl?: string; scopes: readonly string[] };

const flowsOf = (flows: Record<string, unknown>): Record<string, Flow> =>
  Object.fromEntries(
    Object.entries(flows).flatMap(([name, flow]) =>
      isObject(flow) && !name.startsWith('x-') ? [[name, flowOf(flow)]] : [],
    ),
  );

const flowOf = ({ tokenUrl, refreshUrl, scopes }: Record<string, unknown>): Flow => ({
  ...(typeof tokenUrl === 'string' && tokenUrl !== '' && { tokenUrl }),
  ...(typeof refreshUrl === 'string' && refreshUrl !== '' && { refreshUrl }),
  scopes: isObject(scopes) ? Object.keys(scopes) : [],
});

/** Flows of Swagger 2.0 by their names in OpenAPI 3. */
const FLOWS: Readonly<Record<string, string>> = {
  application: 'clientCredentials',
  accessCode: 'authorizationCode',
};

function plainFlow(value: Record<string, unknown>): Record<string, Flow> {
  const flow = textOrEmpty(value.flow);
  return flow === '' ? {} : { [FLOWS[flow] ?? flow]: flowOf(value) };
}

/**
 * Returns the alternatives of an operation, or those of the document where it has none. An alternative of a scheme that
 * does not exist can never be used, and is left out.
 */
export function readSecurity(
  own: unknown,
  common: unknown,
  schemes: Schemes,
  at: readonly (string | number)[],
  warnings: Warnings,
): SecurityAlternative[] {
  const isOwn = own !== undefined && own !== null;
  const declared = isOwn ? own : common;
  if (!Array.isArray(declared)) return [];
  return declared.flatMap((value, index) => {
    if (!isObject(value)) return [];
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(schemes, name));
    if (unknown === undefined) return [alternativeOf(value)];
    if (isOwn) warnings.add([...at, 'security', index, unknown], 'is no security scheme of this document');
    return [];
  });
}

const alternativeOf = (value: Record<string, unknown>): SecurityAlternative =>
  Object.fromEntries(
    Object.entries(value).map(([name, scopes]) => [
      name,
      Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    ]),
  );
