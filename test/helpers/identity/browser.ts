import { request } from 'node:http';

/** An answer, and where it was read. */
export type Visited = {
  status: number;
  url: URL;
  headers: Record<string, string | string[] | undefined>;
  text: string;
};

type Visit = { method?: string; form?: Record<string, string>; follow?: boolean };

/** A browser of one user: it keeps cookies by origin and path, and follows redirects between sites. */
export function openBrowser() {
  const cookies = new Map<string, { value: string; origin: string; path: string }>();

  const once = (url: URL, { method = 'GET', form }: Visit) =>
    new Promise<Visited>((resolve, reject) => {
      const sent = [...cookies].filter(
        ([, { origin, path }]) => origin === url.origin && url.pathname.startsWith(path),
      );
      const body = form && new URLSearchParams(form).toString();
      const requested = request(
        url,
        {
          method,
          headers: {
            ...(sent.length > 0 && {
              Cookie: sent.map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; '),
            }),
            ...(body !== undefined && {
              'Content-Type': 'application/x-www-form-urlencoded',
              'Content-Length': Buffer.byteLength(body),
            }),
          },
        },
        (got) => {
          const parts: Buffer[] = [];
          got.on('data', (part: Buffer) => parts.push(part));
          got.on('error', reject);
          got.on('end', () => {
            for (const line of got.headers['set-cookie'] ?? []) keep(url, line);
            const text = Buffer.concat(parts).toString('utf8');
            resolve({ status: got.statusCode ?? 0, url, headers: got.headers, text });
          });
        },
      );
      requested.on('error', reject);
      requested.end(body);
    });

  const keep = (url: URL, line: string) => {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const isOver = attributes.some((one) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(one));
    const key = `${url.origin} ${pair.slice(0, at)}`;
    if (isOver) cookies.delete(key);
    else cookies.set(key, { value: pair.slice(at + 1), origin: url.origin, path });
  };

  return {
    cookies,
    /** Opens a page, following redirects until `until` accepts where one leads. */
    async visit(address: string, visit: Visit & { until?: (url: URL) => boolean } = {}): Promise<Visited> {
      let url = new URL(address);
      let next: Visit = visit;
      for (let hops = 0; hops < 20; hops += 1) {
        const got = await once(url, next);
        const { location } = got.headers;
        if (visit.follow === false || typeof location !== 'string') return got;
        url = new URL(location, url);
        if (visit.until?.(url)) return { ...got, url };
        next = {};
      }
      throw new Error(`too many redirects at ${url.href}`);
    },
  };
}
