/** The account of the benchmark, as peers.ts starts the service. */
export const BENCH_ADMIN = { username: 'admin', password: 'bench-admin-password' };

/** Calls the REST face of a service and returns the answer's body. @throws Error with status and text when it fails */
export type Call = <Body>(method: string, path: string, body?: unknown) => Promise<Body>;

/** Returns a function that calls a service with a token. */
export const callsOf =
  (url: string, token: string): Call =>
  async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as Body;
  };
