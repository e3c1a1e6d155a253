import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Context, Hono } from 'hono';
import { ServiceError } from '#server/kernel/errors.ts';
import { baseHeaders, type Env } from '../rest.ts';

/** The folder that `npm run web:build` writes: index.html and assets whose names contain a hash of their content. */
const BUILT = new URL('../../../web/dist/', import.meta.url);

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};

/** Valid names of built files: none leads out of the folder. */
const ASSET = /^[\w-]+(\.[\w-]+)+$/;

type Asset = { type: string; plain: Buffer; br: Buffer; gzip: Buffer };

/**
 * Serves the console below `/console`: its assets, which browsers keep for ever because their names change with their
 * content, and one page for every other path, with a fresh nonce for the styles that libraries insert.
 *
 * @returns an app to mount
 */
export function consoleRoutes() {
  const app = new Hono<Env>();
  const assets = new Map<string, Promise<Asset>>();
  let page: { changed: number; text: string } | undefined;

  const readPage = async (): Promise<string | undefined> => {
    const file = new URL('index.html', BUILT);
    const changed = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changed === undefined) return undefined;
    // A build that finished while the service runs is served from the next request on.
    if (page?.changed !== changed) page = { changed, text: await readFile(file, 'utf8') };
    return page.text;
  };

  app.get('/console/assets/:name', async (c) => {
    c.env.route = '/console/assets';
    const name = c.req.param('name');
    const asset = ASSET.test(name) ? await cachedAsset(assets, name) : undefined;
    if (!asset) throw new ServiceError('NOT_FOUND', `The console has no file ${name}`);
    const accepted = c.req.header('accept-encoding') ?? '';
    const coding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
    return c.body(Buffer.from(coding ? asset[coding] : asset.plain), 200, {
      ...baseHeaders(c.env),
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(coding && { 'Content-Encoding': coding }),
    });
  });

  const sendPage = async (c: Context<Env>): Promise<Response> => {
    c.env.route = '/console';
    const nonce = randomBytes(16).toString('base64url');
    const text = await readPage();
    return c.body((text ?? WAITING).replaceAll('{{nonce}}', nonce), text ? 200 : 503, {
      ...baseHeaders(c.env),
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy(nonce),
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      ...(!text && { 'Retry-After': '1' }),
    });
  };
  const redirectTo =
    (route: string, target: string) =>
    async (c: Context<Env>): Promise<Response> => {
      c.env.route = route;
      const { search } = new URL(c.req.url);
      return c.body(null, 302, {
        ...baseHeaders(c.env),
        Location: `${target}${search}`,
        'Cache-Control': 'no-store',
      });
    };
  for (const [path, route, get] of [
    // Providers send the browser here with the outcome of a sign-in in the query.
    ['/', '/', redirectTo('/', '/console')],
    // Links to the editor of a document (`editLink`): browsers keep the part after # in a redirect.
    ['/automation-studio', '/automation-studio', redirectTo('/automation-studio', '/console/edit')],
    ['/console', '/console', sendPage],
    ['/console/*', '/console', sendPage],
  ] as const) {
    app.get(path, get);
    app.all(path, (c) => {
      c.env.route = route;
      const allow = 'GET, HEAD, OPTIONS';
      if (c.req.method === 'OPTIONS') return c.body(null, 204, { ...baseHeaders(c.env), Allow: allow });
      throw new ServiceError('METHOD_NOT_SUPPORTED', `This path allows ${allow}`, {
        headers: { Allow: allow },
      });
    });
  }
  return app;
}

/** The console loads nothing from other origins, runs no inline script, and cannot be framed. */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The page that a browser gets until the first build has finished; it reloads automatically. */
const WAITING = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="refresh" content="1" />
    <title>Switchyard</title>
  </head>
  <body>
    <h1>Switchyard</h1>
    <p>The console is being built for the first time; this page opens it in a few seconds. If it does not, run
    <code>npm run web:build</code> and read its messages. The API serves already: <a href="/docs">endpoints</a>.</p>
  </body>
</html>
`;

function cachedAsset(assets: Map<string, Promise<Asset>>, name: string): Promise<Asset | undefined> {
  const known = assets.get(name);
  if (known) return known;
  const type = TYPES[extname(name)];
  if (!type) return Promise.resolve(undefined);
  const file = (suffix: string) => readFile(new URL(`assets/${name}${suffix}`, BUILT));
  const made = Promise.all([file(''), file('.br'), file('.gz')]).then(([plain, br, gzip]) => ({
    type,
    plain,
    br,
    gzip,
  }));
  assets.set(name, made);
  return made.catch((error: NodeJS.ErrnoException) => {
    assets.delete(name);
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
