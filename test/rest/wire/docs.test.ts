import { expect, test } from 'vitest';
import { createAdmin } from '#server/domains/identity/rights/seed.service.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const get = (path: string, headers: Record<string, string> = {}) =>
  service.send(null, 'GET', path, undefined, { headers });

test.each(['/docs', '/docs/'])('%s is a page, and needs no credential', async (path) => {
  const page = await get(path);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('<div id="swagger-ui">');
});

test('the address of the service leads to the console', async () => {
  const page = await get('/');
  expect(page.status).toBe(302);
  expect(page.headers.location).toBe('/console');
  expect((await service.send(null, 'POST', '/', {})).status).toBe(405);
});

test('the link to the editor that the studio answers leads to the console', async () => {
  const made = await service.send('admin', 'POST', '/automation-studio/automations', {
    automation: {
      name: 'Linked',
      type: 'automation',
      tasks: { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } },
      transitions: {},
    },
  });
  const { edit } = made.json as { edit: string };
  const page = await get(String(edit.split('#')[0]));
  expect([page.status, page.headers.location]).toEqual([302, '/console/edit']);
  expect((await service.send(null, 'POST', '/automation-studio/', {})).status).toBe(405);
});

test('the page holds no script or style of its own, and its policy allows none', async () => {
  const page = await get('/docs');
  expect(page.text).not.toMatch(/<script>|<style|\son\w+=|\sstyle=|javascript:/);
  const policy = new Map(
    page.headers['content-security-policy']?.split('; ').map((rule) => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources.join(' ')] as const;
    }),
  );
  expect(policy.get('default-src')).toBe("'none'");
  expect(policy.get('script-src')).toBe("'self'");
  expect(policy.get('style-src')).toBe("'self'");
  expect(policy.get('connect-src')).toBe("'self'");
  expect(policy.get('frame-ancestors')).toBe("'none'");
  expect([...policy.values()].join(' ')).not.toContain('unsafe');
});

test('everything that the page loads is served from here, with its type', async () => {
  const page = await get('/docs');
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
  expect(loaded).toContain('/docs/swagger-ui-bundle.js');
  for (const url of loaded) {
    expect(url).toMatch(/^\/(docs\/|openapi\.json$)/);
    const asset = await get(url);
    expect(asset.status, url).toBe(200);
    expect(asset.headers['x-content-type-options']).toBe('nosniff');
    expect(asset.headers['content-type'], url).toMatch(
      { js: /^text\/javascript/, css: /^text\/css/, png: /^image\/png/, json: /^application\/json/ }[
        url.split('.').at(-1) ?? ''
      ] ?? /^never$/,
    );
  }
});

test('the page requests the document from this service, and nothing from any other server', async () => {
  const script = await get('/docs/page.js');
  expect(script.text).toContain("url: '/openapi.json'");
  expect(script.text).not.toMatch(/https?:\/\//);
});

test('the cookie of a sign-in is what the page tries endpoints with; a page of another origin cannot', async () => {
  await createAdmin(service.db, 'correct horse battery staple');
  const own = { Origin: service.url };
  const user = { username: 'admin', password: 'correct horse battery staple' };
  const signedIn = await service.send(null, 'POST', '/login', { user }, { headers: own });
  const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
  const write = (origin: string) =>
    service.send(null, 'POST', '/logout', {}, { headers: { Cookie: cookie, Origin: origin } });
  expect((await get('/version', { Cookie: cookie })).status).toBe(200);
  expect((await write('https://elsewhere.example')).status).toBe(403);
  expect((await write(service.url)).status).toBe(200);
  expect((await get('/version', { Cookie: cookie })).status).toBe(401);
});

test('an asset is sent once: then its validator is enough', async () => {
  const first = await get('/docs/swagger-ui.css');
  expect(first.headers['cache-control']).toBe('no-cache');
  const again = await get('/docs/swagger-ui.css', { 'If-None-Match': first.headers.etag ?? '' });
  expect(again.status).toBe(304);
  expect(again.text).toBe('');
  const other = await get('/docs/swagger-ui.css', { 'If-None-Match': 'W/"other"' });
  expect(other.status).toBe(200);
});

test('an asset is compressed for a client that reads that', async () => {
  const whole = await get('/docs/swagger-ui-bundle.js');
  expect(whole.headers.vary).toContain('Accept-Encoding');
  const zipped = await fetch(`${service.url}/docs/swagger-ui-bundle.js`, {
    headers: { 'Accept-Encoding': 'gzip' },
  });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(await zipped.text()).toBe(whole.text);
});

test('HEAD answers as GET does, without the body', async () => {
  for (const path of ['/docs', '/docs/page.js', '/openapi.json']) {
    const head = await service.send(null, 'HEAD', path);
    expect(head.status, path).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.etag).toBe((await get(path)).headers.etag);
  }
});

test.each([
  '/docs/package.json',
  '/docs/index.html',
  '/docs/swagger-ui-bundle.js.map',
  '/docs/page.html',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs/..%2f..%2f..%2fetc%2fpasswd',
  '/docs/....//server/main.ts',
  '/docs/page.js/../page.html',
  '/docs/%00',
  '/docs/constructor',
  '/docs/__proto__',
])('%s is not served: only the files of the list are', async (path) => {
  const rejected = await get(path);
  expect(rejected.status).toBe(404);
  expect(rejected.json).toMatchObject({ code: 'NOT_FOUND' });
});

test('another method is rejected, with the list of allowed ones', async () => {
  for (const path of ['/docs', '/docs/page.js', '/openapi.json']) {
    const rejected = await service.send('admin', 'POST', path, {});
    expect(rejected.status).toBe(405);
    expect(rejected.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect((await service.send(null, 'OPTIONS', path)).headers.allow).toBe('GET, HEAD, OPTIONS');
  }
});

test('the page is measured and logged under its path', async () => {
  await get('/docs/page.js');
  const lines = service.logged.map((line) => JSON.parse(line) as { route?: string });
  expect(lines.some(({ route }) => route === '/docs/page.js')).toBe(true);
});
