import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import { ServiceError } from '#server/kernel/errors.ts';
import { openApi } from '../openapi/served.ts';
import { baseHeaders, type Env, JSON_TYPE } from '../rest.ts';
import { type StaticAsset, sendStaticAsset, staticAsset } from './static-asset.ts';

/** The folder of the page's own files. */
const OWN = new URL('./docs/', import.meta.url);
/** The folder of Swagger UI's files. Importing the package itself would run its bundles, which are made for browsers. */
const SWAGGER = swaggerFolder();

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** The only files served below `/docs`: location and media type. */
const FILES: Record<string, { file: URL | string; type: string }> = {
  'page.js': { file: new URL('page.js', OWN), type: SCRIPT },
  'page.css': { file: new URL('page.css', OWN), type: STYLE },
  'swagger-ui-bundle.js': { file: join(SWAGGER, 'swagger-ui-bundle.js'), type: SCRIPT },
  'swagger-ui.css': { file: join(SWAGGER, 'swagger-ui.css'), type: STYLE },
  'favicon-32x32.png': { file: join(SWAGGER, 'favicon-32x32.png'), type: 'image/png' },
};

/** The pages, by path: the page to read and try endpoints. */
const PAGES: Record<string, string> = { '/docs': 'page.html' };

/**
 * The page loads nothing from other origins, runs no inline script or style and cannot be framed. The styles embed
 * icons as data URLs.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page's headers besides those of every response; X-Frame-Options is for browsers without frame-ancestors. */
const PAGE = {
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Browsers cache the file but revalidate it at each request. */
const REVALIDATE = 'no-cache';

/**
 * Serves the OpenAPI document and a page to read and try it (contract/decisions#typed-callers). None
 * needs a credential or any other server.
 *
 * @returns an app to mount
 */
export function docsRoutes() {
  const app = new Hono<Env>();
  const known = new Map<string, Promise<StaticAsset>>();
  const remembered = (name: string, make: () => Promise<StaticAsset>) => {
    const made = known.get(name) ?? make();
    known.set(name, made);
    // A file that could not be read is retried at the next request.
    made.catch(() => known.delete(name));
    return made;
  };

  answers(app, '/openapi.json', async (c) => {
    const document = await remembered('openapi.json', async () => staticAsset(await openApi(), JSON_TYPE));
    return sendStaticAsset(c, document, REVALIDATE);
  });

  for (const [path, file] of Object.entries(PAGES)) {
    answers(app, path, async (c) => {
      const page = await remembered(file, async () =>
        staticAsset(await readFile(new URL(file, OWN)), 'text/html; charset=utf-8'),
      );
      return sendStaticAsset(c, page, REVALIDATE, PAGE);
    });
  }

  for (const [name, { file, type }] of Object.entries(FILES)) {
    answers(app, `/docs/${name}`, async (c) => {
      const asset = await remembered(name, async () => staticAsset(await readFile(file), type));
      return sendStaticAsset(c, asset, REVALIDATE);
    });
  }
  return app;
}

/** Registers a path that answers GET and HEAD; other methods get 405 with `Allow`. */
function answers(app: Hono<Env>, path: string, handle: (c: Context<Env>) => Promise<Response>) {
  const allow = 'GET, HEAD, OPTIONS';
  app.get(path, (c) => {
    c.env.route = path;
    return handle(c);
  });
  app.all(path, (c) => {
    c.env.route = path;
    if (c.req.method === 'OPTIONS') {
      return c.body(null, 204, { ...baseHeaders(c.env), Allow: allow });
    }
    throw new ServiceError('METHOD_NOT_SUPPORTED', `This path allows ${allow}`, {
      headers: { Allow: allow },
    });
  });
}
