import type { Operation } from '#server/http/operations.ts';

/** The security schemes (contract/decisions#3); the first credential present counts. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token that `POST /login` returns, an OAuth access token, or a personal token (`swy_…`).',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Name and password of an account, with each request; no session is created.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'token',
    description: 'The cookie that `POST /login` sets; the active profile may give it another name.',
  },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'A token as a query parameter, for clients that cannot set headers. It is not logged.',
  },
} as const;

/** Returns who may call an operation: as OpenAPI security, and as a sentence for its description. */
export function securityOf({ meta, permission }: Operation) {
  const { audience = 'public' } = meta;
  if (audience === 'public') return { security: [], sentence: 'Needs no credential.' };
  const security = Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] }));
  if (audience === 'signed-in') {
    return { security, 'x-roles': [], sentence: 'For every account that is signed in, whatever its roles.' };
  }
  const roles = audience.join(', ');
  const one = audience.length > 1 ? 'one of the roles' : 'the role';
  return {
    security,
    'x-roles': [...audience],
    'x-permission': permission,
    sentence: `Needs ${one} ${roles}, or the permission \`${permission}\`.`,
  };
}
