import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { treeDigest } from '#server/kernel/files/tree-digest.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { openHost } from '../../helpers/integrations/packages.ts';
import {
  fetchLibrary,
  LIBRARY,
  LIBRARY_FOLDER,
  PACKAGES_FOLDER,
} from '../../helpers/integrations/shared-library.ts';

/** A class on the library, as packages have one: it reads its properties and sends its requests by it. */
const CODE = `
const { EventEmitter } = require('node:events');
const { RequestHandler, PropertyUtility } = require('${LIBRARY}');
const { actions } = require('./entities/Item/action.json');
const { methods } = require('./pronghorn.json');
class Warehouse extends EventEmitter {
  constructor(id, properties) {
    super();
    this.id = id;
    const own = new PropertyUtility(id, __dirname);
    const all = own.mergeProperties(properties, own.setDefaults(require('./propertiesSchema.json')));
    this.requestHandlerInst = new RequestHandler(id, all, __dirname);
  }
  connect() {
    this.requestHandlerInst.identifyHealthcheck(null, (_, error) => this.emit(error ? 'OFFLINE' : 'ONLINE', {}));
  }
}
for (const { name, input } of methods) {
  if (!actions.some((one) => one.name === name)) continue;
  Warehouse.prototype[name] = function (...args) {
    const uriQuery = Object.fromEntries(input.map((one, at) => [one.name, args[at]]).filter(([, value]) => value));
    return this.requestHandlerInst.identifyRequest('Item', name, { uriQuery }, true, args.at(-1));
  };
}
module.exports = Warehouse;`;

const action = (name: string, path: string) => ({
  ...{
    name,
    protocol: 'REST',
    method: 'GET',
    entitypath: `{base_path}/${path}{query}`,
    schema: 'schema.json',
  },
  ...{ timeout: 0, sendEmpty: false, sendGetBody: false, requestDatatype: 'JSON', responseDatatype: 'JSON' },
  ...{ headers: {}, responseObjects: [{ type: 'default', key: '', mockFile: '' }] },
});
const schemaOf = (names: string[]) => ({
  ...{ $id: 'item', type: 'object', schema: 'http://json-schema.org/draft-07/schema#', translate: false },
  dynamicfields: true,
  properties: {
    ph_request_type: { type: 'string', default: names[0], enum: names, external_name: 'ph_request_type' },
  },
  definitions: {},
});

test('runs a package on the library that public packages share, unchanged', async ({ skip }) => {
  const missing = await fetchLibrary();
  if (missing) return skip(missing);
  const folder = join(PACKAGES_FOLDER, 'Warehouse', '1.0.0');
  await rm(folder, { recursive: true, force: true });
  await cp(join(import.meta.dirname, '../../fixtures/adapters/warehouse'), folder, { recursive: true });
  const names = ['getItems', 'countItems', 'echo'];
  const files: Record<string, unknown> = {
    'entities/Item/action.json': { actions: names.map((name) => action(name, name)) },
    'entities/Item/schema.json': schemaOf(names),
    'entities/.system/action.json': {
      actions: [action('healthcheck', 'health'), action('getToken', 'login')],
    },
    'entities/.system/schema.json': schemaOf(['healthcheck', 'getToken']),
  };
  await mkdir(join(folder, 'entities/.system'), { recursive: true });
  for (const [name, value] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(value));
  await writeFile(join(folder, 'adapter.js'), CODE);
  await cp(join(LIBRARY_FOLDER, 'error.json'), join(folder, 'error.json'));

  const service = await openWebService((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  const { packages, lines } = await openHost({ directory: PACKAGES_FOLDER });
  const instance = {
    instance: 'library',
    properties: {
      ...{ host: '127.0.0.1', port: service.port, protocol: 'http', base_path: '/api', version: '' },
      authentication: {
        ...{ auth_method: 'basic user_password', username: 'svc', password: 'Hush-Hush-1' },
        auth_field: 'header.headers.Authorization',
        auth_field_format: 'Basic {b64}{username}:{password}{/b64}',
      },
      healthcheck: { type: 'startup', frequency: 60_000 },
      request: { number_retries: 0, limit_retry_error: [0], attempt_timeout: 5000, global_request: {} },
    },
    secrets: ['Hush-Hush-1'],
    package: {
      ...{ type: 'Warehouse', version: '1.0.0', directory: folder, entry: 'adapter.js' },
      digest: await treeDigest(folder),
    },
  };
  expect(await packages.start(instance)).toBeNull();
  for (const method of names) {
    const args = method === 'getItems' ? [{}] : method === 'echo' ? ['x', undefined, undefined] : [];
    expect(await packages.call({ ...instance, method, args }), lines.at(-1)).toMatchObject({
      data: { icode: 'AD.200', response: { ok: true } },
    });
  }
  await expect.poll(() => packages.state('library').connection).toBe('ONLINE');
  expect(service.seen.map(({ url }) => url)).toContain('/api/echo?text=x');
  const basic = `Basic ${Buffer.from('svc:Hush-Hush-1').toString('base64')}`;
  expect(service.seen.every(({ headers }) => headers.authorization === basic)).toBe(true);
  expect(lines.join()).not.toMatch(/Hush-Hush-1|c3ZjOkh1c2gtSHVzaC0x/);
});
