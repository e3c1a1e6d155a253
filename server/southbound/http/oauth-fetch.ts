import type { HttpOptions, HttpPort, HttpTarget } from './ports.ts';

type OAuthRequest = { method: string; headers: Record<string, string>; body?: unknown };

/**
 * Returns a `fetch` for the OAuth library that sends through the port for other systems, which checks every address.
 *
 * @param options limits of one request
 * @param bodyOf changes the body of a response; absent: it stays
 */
export const oauthFetch =
  (
    http: HttpPort,
    target: HttpTarget,
    options: () => HttpOptions,
    bodyOf: (bytes: Buffer) => string | Uint8Array<ArrayBuffer> = (bytes) => new Uint8Array(bytes),
  ) =>
  async (url: string, { method, headers, body }: OAuthRequest): Promise<Response> => {
    const request = {
      method,
      url: new URL(url),
      headers: { Accept: 'application/json', ...headers },
      body: body === undefined || body === null ? undefined : String(body),
    };
    const answer = await http.send(target, request, options());
    const isEmpty = answer.status === 204 || answer.status === 304 || answer.status < 200;
    return new Response(isEmpty ? null : bodyOf(answer.bytes), {
      status: Math.max(200, answer.status),
      headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined || name === 'content-encoding' ? [] : [[name, String(value)]],
      ),
    });
  };
