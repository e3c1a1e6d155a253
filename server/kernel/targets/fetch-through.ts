import type { HttpAnswer, HttpOptions, HttpPort, HttpTarget } from '#server/southbound/http/ports.ts';

type FetchRequest = { method: string; headers: Record<string, string>; body?: unknown };

/**
 * Returns a `fetch` for a library of OAuth that sends through the port for other systems, which checks every address.
 *
 * @param optionsOf returns the limits of one request
 * @param bodyOf returns what the library reads of the body of a response
 */
export const fetchThrough =
  (
    http: Pick<HttpPort, 'send'>,
    target: HttpTarget,
    optionsOf: () => HttpOptions,
    bodyOf: (bytes: HttpAnswer['bytes']) => string,
  ) =>
  async (url: string, { method, headers, body }: FetchRequest): Promise<Response> => {
    const request = {
      method,
      url: new URL(url),
      headers: { Accept: 'application/json', ...headers },
      body: body === undefined || body === null ? undefined : String(body),
    };
    const answer = await http.send(target, request, optionsOf());
    const isEmpty = answer.status === 204 || answer.status === 304 || answer.status < 200;
    return new Response(isEmpty ? null : bodyOf(answer.bytes), {
      status: Math.max(200, answer.status),
      headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined || name === 'content-encoding' ? [] : [[name, String(value)]],
      ),
    });
  };
