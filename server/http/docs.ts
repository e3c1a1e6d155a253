import { Hono } from 'hono';
import type { Env } from './rest.ts';

/** The page that reads and tries the OpenAPI document. */
export function docsRoutes() {
  const app = new Hono<Env>();
  app.get('/', (c) => c.text('docs'));
  return app;
}
