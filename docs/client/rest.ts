/** What a query may hold: options as they are named, objects inside them, lists. */
export type Query = { [name: string]: string | number | boolean | readonly (string | number)[] | Query };

type Call = { token?: string; query?: Query; body?: unknown };

/** The one error shape, thrown: `code` says what went wrong. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly { path: (string | number)[]; message: string; code: string }[];
  readonly requestId: string;

  constructor(status: number, told: { code: string; message: string; issues?: never[]; requestId: string }) {
    super(told.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = told.code;
    this.issues = told.issues ?? [];
    this.requestId = told.requestId;
  }
}

/**
 * Options as a query string: objects nest in brackets, a list repeats its name.
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
 * Call an endpoint with nothing but fetch.
 *
 * @param url   where the service is, without a path
 * @param path  as the OpenAPI document names it, parameters filled in
 * @returns what was answered: JSON, or text where the endpoint answers text
 * @throws ApiError for every status from 400
 */
export async function call<Answer>(
  url: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { token, query = {}, body }: Call = {},
): Promise<Answer> {
  const asked = queryOf(query);
  const answer = await fetch(`${url}${path}${asked && `?${asked}`}`, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const type = answer.headers.get('content-type') ?? '';
  const told = type.startsWith('application/json') ? await answer.json() : await answer.text();
  if (!answer.ok) throw new ApiError(answer.status, told as ConstructorParameters<typeof ApiError>[1]);
  return told as Answer;
}

/** @returns the token of a new session; it also comes as a cookie, which fetch in a browser keeps */
export const signIn = (url: string, username: string, password: string): Promise<string> =>
  call(url, 'POST', '/login', { body: { user: { username, password } } });

type Account = { _id: string; username: string; provenance: string };

/** Sign in, list, read, and meet errors: what docs/client/README.md shows. */
export async function tour(url: string, username: string, password: string): Promise<string[]> {
  const told = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.code}`;
  };
  const refused = await call(url, 'GET', '/version').catch(told);

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
  const unknown = await call(url, 'GET', '/version', { token, query: { colour: 'red' } }).catch(told);

  await call(url, 'POST', '/logout', { token });
  const ended = await call(url, 'GET', '/version', { token }).catch(told);
  return [
    `without a token: ${refused}`,
    `release ${version}, ${total} account: ${account.username} of ${account.provenance}`,
    `an unknown parameter: ${unknown}`,
    `signed out: ${ended}`,
  ];
}
