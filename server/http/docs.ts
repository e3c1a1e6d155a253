import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import { ServiceError } from '#server/kernel/errors.ts';
import { type Env, JSON_TYPE, standing } from './rest.ts';
import { type StaticAsset, sendStaticAsset, staticAsset } from './static-asset.ts';

/** Where the page's own files lie. */
const OWN = new URL('./docs/', import.meta.url);
/** Where those of Swagger UI lie. Importing the package itself would run its bundles, which are made for browsers. */
const SWAGGER = swaggerFolder();

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Every file that is served below `/docs`, and no other: where it lies, and what it is. */
const FILES: Record<string, { file: URL | string; type: string }> = {
  'page.js': { file: new URL('page.js', OWN), type: SCRIPT },
  'home.js': { file: new URL('home.js', OWN), type: SCRIPT },
  'home.css': { file: new URL('home.css', OWN), type: STYLE },
  'page.css': { file: new URL('page.css', OWN), type: STYLE },
  'swagger-ui-bundle.js': { file: join(SWAGGER, 'swagger-ui-bundle.js'), type: SCRIPT },
  'swagger-ui.css': { file: join(SWAGGER, 'swagger-ui.css'), type: STYLE },
  'favicon-32x32.png': { file: join(SWAGGER, 'favicon-32x32.png'), type: 'image/png' },
};

/** The pages, by path: what the service is, and its endpoints to read and try. */
const PAGES: Record<string, string> = { '/': 'home.html', '/docs': 'page.html' };

/** Nothing from anywhere else, no script or style inside the page, nobody may frame it. Icons are data in the styles. */
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

/** The headers of the page beside those of every answer; X-Frame-Options for browsers that know no frame-ancestors. */
const PAGE = {
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Ask again each time, but only whether it changed. */
const REVALIDATE = 'no-cache';

/**
 * The start page, the OpenAPI document, and a page to read and try it (contract/decisions#typed-callers). None asks for a
 * credential; all work without any other server.
 */
export function docsRoutes() {
  const app = new Hono<Env>();
  const known = new Map<string, Promise<StaticAsset>>();
  const remembered = (name: string, make: () => Promise<StaticAsset>) => {
    const made = known.get(name) ?? make();
    known.set(name, made);
    // A file that could not be read is tried again at the next request.
    made.catch(() => known.delete(name));
    return made;
  };

  answers(app, '/openapi.json', async (c) => {
    const document = await remembered('openapi.json', async () => {
      // The generator and what it needs are a third of all code: loaded when someone reads, not at every start.
      const { openApiText } = await import('./openapi.ts');
      return staticAsset(openApiText(), JSON_TYPE);
    });
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

/** A path that answers GET and HEAD, and says so to other methods. */
function answers(app: Hono<Env>, path: string, handle: (c: Context<Env>) => Promise<Response>) {
  const allow = 'GET, HEAD, OPTIONS';
  app.get(path, (c) => {
    c.env.route = path;
    return handle(c);
  });
  app.all(path, (c) => {
    c.env.route = path;
    if (c.req.method === 'OPTIONS') {
      return c.body(null, 204, { ...standing(c.env), Allow: allow });
    }
    throw new ServiceError('METHOD_NOT_SUPPORTED', `This path answers ${allow}`, {
      headers: { Allow: allow },
    });
  });
}
