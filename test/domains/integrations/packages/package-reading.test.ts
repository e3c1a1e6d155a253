import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argumentsOf } from '#server/domains/integrations/packages/arguments.ts';
import { newConnection, withDefaults } from '#server/domains/integrations/packages/connection-defaults.ts';
import { devicesIn, totalIn } from '#server/domains/integrations/packages/device-page.ts';
import { effectOf, httpMethodsOf, methodsOf } from '#server/domains/integrations/packages/effects.ts';
import { readPackageFiles } from '#server/domains/integrations/packages/package-files.service.ts';
import { errorResultOf, failureResultOf } from '#server/domains/integrations/packages/package-outcome.ts';
import { type PackageFiles, readPackage } from '#server/domains/integrations/packages/package-reading.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/adapters/warehouse');

test('reads what a package is from its files alone', async () => {
  const { tasks, ...facts } = readPackage(await readPackageFiles(FIXTURE));
  expect(facts).toMatchObject({
    type: 'Warehouse',
    id: '@example/adapter-warehouse',
    version: '1.2.0',
    license: 'Apache-2.0',
    entry: 'adapter.js',
    secrets: [
      ['authentication', 'password'],
      ['authentication', 'signature'],
    ],
    needs: [],
    brokers: ['getDevice', 'getDevicesFiltered', 'isAlive', 'getConfig'],
    warnings: [],
  });
  expect(Object.fromEntries(tasks.map(({ name, effect }) => [name, effect]))).toEqual({
    getItems: 'read',
    getItem: 'read',
    createItem: 'unsafe',
    // Its action has another name, which only the source says.
    replaceItem: 'keyed',
    deleteItem: 'keyed',
    // It sends nothing by itself.
    countItems: 'unsafe',
    echo: 'unsafe',
  });
  expect(tasks.filter(({ hasMock }) => hasMock).map(({ name }) => name)).toEqual(['getItems']);
});

describe('a package that cannot be used', () => {
  const files = async (changes: Partial<PackageFiles>): Promise<PackageFiles> => ({
    ...(await readPackageFiles(FIXTURE)),
    ...changes,
  });
  const pronghorn = async () =>
    JSON.parse(await readFile(join(FIXTURE, 'pronghorn.json'), 'utf8')) as Record<string, unknown>;

  test('is rejected with every issue, each naming its file', async () => {
    const bad = { ...(await pronghorn()), export: '../Escape', src: '../../index.js' };
    const packageJson = { version: '1.0/..' };
    expect(() => readPackage({ ...filesNow, pronghorn: bad, packageJson })).toThrow(
      /pronghorn\.json\.export.*package\.json\.version.*pronghorn\.json\.src/,
    );
    expect(() => readPackage({ ...filesNow, pronghorn: { methods: 7 } })).toThrow(/pronghorn\.json\./);
  });

  test('is said to be an application where it is one', async () => {
    const application = { ...(await pronghorn()), type: 'Application' };
    expect(() => readPackage({ ...filesNow, pronghorn: application })).toThrow(
      'pronghorn.json.type: must be "Adapter": packages of applications cannot be added',
    );
  });

  test('is described with what its source and its catalogue do not share', async () => {
    const sources = ['class A {\n  getItem(a, b, callback) {\n  }\n}\n'];
    const { warnings, needs } = readPackage(
      await files({
        sources: [`const x = require('lodash/get');\nrequire('fs');\n${sources}`],
        propertiesSchema: null,
      }),
    );
    expect(warnings).toEqual([
      'propertiesSchema.json is missing: connections are not checked',
      'methods that the source does not define: getItems, createItem, replaceItem, deleteItem, countItems, echo',
      'methods whose arguments are not those of pronghorn.json: getItem',
    ]);
    expect(needs).toEqual(['lodash']);
  });

  test('needs no modules that only scripts of its authors load, unless its own source loads them too', async () => {
    const packageJson = {
      dependencies: { acorn: '^8', nyc: '^15', semver: '^7', request: '^2', mocha: '^10' },
    };
    const needsWith = async (source: string) =>
      readPackage(await files({ packageJson, sources: [source] })).needs;
    expect(await needsWith('')).toEqual(['request']);
    expect(await needsWith("require('semver');")).toEqual(['request', 'semver']);
  });
});
const filesNow = await readPackageFiles(FIXTURE);

test('an effect is that of the only HTTP method that a method sends', () => {
  const actions = [
    { entity: 'A', name: 'get', method: 'GET', hasMock: false },
    { entity: 'A', name: 'put', method: 'PUT', hasMock: false },
    { entity: 'B', name: 'get', method: 'POST', hasMock: false },
  ];
  const source = `class X {
  reads(a, callback) {
    return this.h.identifyRequest('A', 'get', {}, true, callback);
  }
  both(callback) {
    this.h.identifyRequest('A', 'get', {}, true, () => {
      if (true) {
        this.h.identifyRequest("A", "put", {}, true, callback);
      }
    });
  }
  other(callback) { this.h.identifyRequest('B', 'get', {}, true, callback); }
  unknown(callback) { this.h.identifyRequest('B', 'gone', {}, true, callback); }
  computed(name, callback) { this.h.identifyRequest(name, 'get', {}, true, callback); }
}`;
  const methods = methodsOf(source);
  const effect = (name: string) => effectOf(httpMethodsOf(name, methods.get(name), actions));
  expect(['reads', 'both', 'other', 'unknown', 'computed', 'put'].map(effect)).toEqual([
    ...['read', 'unsafe', 'unsafe', 'unsafe', 'unsafe', 'keyed'],
  ]);
  expect(methods.get('reads')?.parameters).toEqual(['a', 'callback']);
});

test('values become arguments in the order of the method, and wrong ones are named all at once', () => {
  const inputs = [
    { name: 'id', type: 'string', required: true },
    { name: 'note', type: 'string', required: false },
    { name: 'limit', type: 'number', required: false },
    { name: 'body', type: 'object', required: false },
    { name: 'kind', type: 'enum', required: false },
  ];
  expect(argumentsOf(inputs, { body: {}, id: '7', note: '', limit: '', kind: 'x', adapter_id: 'a' })).toEqual(
    {
      args: ['7', '', undefined, {}, 'x'],
    },
  );
  expect(argumentsOf(inputs, { id: '', limit: 'many', body: [], more: 1 })).toEqual({
    issues: [
      { path: ['id'], message: 'is missing', code: 'required' },
      { path: ['limit'], message: 'must be a number', code: 'invalid_type' },
      { path: ['body'], message: 'must be an object', code: 'invalid_type' },
      { path: ['more'], message: 'is no value of this task', code: 'unrecognized_keys' },
    ],
  });
});

test('errors of packages read as workflows expect, whatever a package reports', () => {
  const reported = { icode: 'AD.404', IAPerror: { displayString: 'gone', raw_response: { status: 404 } } };
  expect(errorResultOf('a-get', reported)).toMatchObject({
    error: { message: 'gone', icode: 'AD.404', IAPerror: { origin: 'a-get', raw_response: { status: 404 } } },
  });
  expect(errorResultOf('a-get', 'plain')).toMatchObject({
    error: { message: 'plain', IAPerror: { displayString: 'plain' } },
  });
  expect(errorResultOf('a-get', { message: 'no', code: 'E' })).toMatchObject({
    error: { message: 'no', IAPerror: { raw_response: { code: 'E' } } },
  });
  const died = { reason: 'ADAPTER_DIED', message: 'its process ended', begun: true } as const;
  expect(failureResultOf('a-get', died)).toMatchObject({
    error: { message: 'interrupted, outcome unknown: its process ended', retryable: false },
  });
});

test('defaults of a connection are laid into what it has and must have, and new ones do not repeat requests', () => {
  const schema = {
    properties: {
      host: { default: 'h' },
      auth: { $ref: '#/definitions/auth' },
      proxy: { type: 'object', properties: { port: { default: 1 } } },
      request: { properties: { number_retries: { default: 3 } } },
    },
    required: ['auth'],
    definitions: {
      auth: { properties: { user: { default: 'u' }, deep: { $ref: '#/definitions/deep' } } },
      deep: {},
    },
  };
  expect(withDefaults(schema, { host: '' })).toEqual({ host: '', auth: { user: 'u' } });
  expect(withDefaults(schema, { proxy: {} })).toEqual({ host: 'h', auth: { user: 'u' }, proxy: { port: 1 } });
  expect(newConnection(schema, {})).toMatchObject({ request: { number_retries: 0 } });
  expect(newConnection(schema, { request: { number_retries: 2 } })).toMatchObject({
    request: { number_retries: 2 },
  });
  const strict = {
    properties: { number_retries: {}, attempt_timeout: { default: 5000 } },
    required: ['attempt_timeout'],
  };
  expect(newConnection({ properties: { request: strict } }, {})).toEqual({
    request: { number_retries: 0, attempt_timeout: 5000 },
  });
});

test('devices are found wherever packages put them in a page', () => {
  const device = { name: 'r1', ipaddress: '192.0.2.1', port: '22', ostype: 'ios' };
  const read = { name: 'r1', address: '192.0.2.1', port: 22, nedId: '', platform: 'ios' };
  for (const page of [[device], { list: [device, { name: '' }] }, { response: { list: [device] } }])
    expect(devicesIn(page)).toEqual([read]);
  expect(totalIn({ response: { total: 7 } })).toBe(7);
});
