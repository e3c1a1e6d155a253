/** Options of a query by their names; objects and lists may be nested in them. */
export type Query = { [name: string]: string | number | boolean | readonly (string | number)[] | Query };

type Call = { token?: string; query?: Query; body?: unknown };

/** Thrown for an error of the service, whose shape is always this: `code` says what went wrong. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly { path: (string | number)[]; message: string; code: string }[];
  readonly requestId: string;

  constructor(status: number, body: { code: string; message: string; issues?: never[]; requestId: string }) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.issues = body.issues ?? [];
    this.requestId = body.requestId;
  }
}

/**
 * Returns options as a query string: objects nest in brackets, a list repeats its name.
 *
 * @example queryOf({ limit: 25, filter: { name: 'core' } }) // limit=25&filter%5Bname%5D=core
 */
export function queryOf(query: Query): string {
  const pairs = new URLSearchParams();
  const add = (name: string, value: Query[string]): void => {
    if (Array.isArray(value)) for (const one of value) pairs.append(name, String(one));
    else if (typeof value === 'object')
      for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner);
    else pairs.append(name, String(value));
  };
  for (const [name, value] of Object.entries(query)) add(name, value);
  return pairs.toString();
}

/**
 * Calls an endpoint with nothing but fetch.
 *
 * @param url   address of the service, without a path
 * @param path  as the OpenAPI document names it, parameters filled in
 * @returns the body of the answer: JSON, or text where the endpoint answers text
 * @throws ApiError for every status from 400
 */
export async function call<Answer>(
  url: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { token, query = {}, body }: Call = {},
): Promise<Answer> {
  const options = queryOf(query);
  const response = await fetch(`${url}${path}${options && `?${options}`}`, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type') ?? '';
  const answer = type.startsWith('application/json') ? await response.json() : await response.text();
  if (!response.ok) throw new ApiError(response.status, answer as ConstructorParameters<typeof ApiError>[1]);
  return answer as Answer;
}

/** Signs in. @returns the token of a new session; it also comes as a cookie, which fetch in a browser keeps */
export const signIn = (url: string, username: string, password: string): Promise<string> =>
  call(url, 'POST', '/login', { body: { user: { username, password } } });

type Account = { _id: string; username: string; provenance: string };

/** Signs in, lists, reads, and meets errors. @returns the lines that docs/client/README.md shows */
export async function tour(url: string, username: string, password: string): Promise<string[]> {
  const errorOf = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.code}`;
  };
  const denied = await call(url, 'GET', '/version').catch(errorOf);

  const token = await signIn(url, username, password);
  const { results, total } = await call<{ results: Account[]; total: number }>(
    url,
    'GET',
    '/authorization/accounts',
    { token, query: { limit: 1, equals: username, equalsField: 'username' } },
  );
  const [found] = results;
  if (!found) throw new Error(`${username} is signed in and not among the accounts`);
  const account = await call<Account>(url, 'GET', `/authorization/accounts/${found._id}`, { token });
  const version = await call<string>(url, 'GET', '/version', { token });
  const unknown = await call(url, 'GET', '/version', { token, query: { colour: 'red' } }).catch(errorOf);

  await call(url, 'POST', '/logout', { token });
  const ended = await call(url, 'GET', '/version', { token }).catch(errorOf);
  return [
    `without a token: ${denied}`,
    `release ${version}, ${total} account: ${account.username} of ${account.provenance}`,
    `an unknown parameter: ${unknown}`,
    `signed out: ${ended}`,
  ];
}
