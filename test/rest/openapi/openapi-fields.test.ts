import { expect, test } from 'vitest';
import { openApi } from '#server/http/openapi/served.ts';
import { openSimulatedHosts } from '../../helpers/devices/simulated-hosts.ts';
import { type Json, type OpenApi, responseOf } from '../../helpers/http/openapi.ts';
import { requestsBelow } from '../../helpers/service.ts';

/*
 * Generated clients have a typed field for what the document describes and a map of the rest, or nothing. What the service itself
 * writes into a document is therefore described.
 */

const gateway = await openSimulatedHosts();
const { send } = requestsBelow({ send: gateway.service }, '');
const document: OpenApi = JSON.parse(await openApi());

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The schema itself, or the one that it refers to; of a choice with null, the other option. */
function meant(schema: Json): Json {
  if (schema.$ref !== undefined) {
    return meant(document.components.schemas[String(schema.$ref).split('/').at(-1) ?? ''] ?? {});
  }
  const options = ((schema.anyOf ?? []) as Json[]).filter(({ type }) => type !== 'null');
  return options.length === 1 ? meant(options[0] ?? {}) : schema;
}

/** Returns the fields of a value that its schema does not describe, each by its path. */
function undescribed(schema: Json, value: unknown, path = ''): string[] {
  const { properties, additionalProperties, items } = meant(schema) as Record<string, Json | undefined>;
  if (Array.isArray(value)) {
    return isJson(items) ? value.flatMap((one) => undescribed(items, one, `${path}[]`)) : [];
  }
  if (!isJson(value) || properties === undefined) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const described = properties[name] ?? (isJson(additionalProperties) && additionalProperties);
    if (!isJson(described) || Object.keys(described).length === 0) return [`${path}.${name}`];
    return undescribed(described, one, `${path}.${name}`);
  });
}

/** Sends a request that has to succeed, and returns the answer with what the document does not describe of it. */
async function read(method: string, url: string, path: string, body?: unknown) {
  const { status, json } = await send(method, url, body);
  const described = document.paths[path]?.[method.toLowerCase()];
  const schema = described && responseOf(document, described, status)?.content?.['application/json']?.schema;
  if (status >= 300 || !schema) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(json)}`);
  return { json: json as Json, missing: [...new Set(undescribed(schema, json))] };
}

const at = '/configuration_manager';

test('what the service writes into backups, trees and issues is described', async () => {
  const tree = (await send('POST', `${at}/configs`, { name: 'Piers', deviceType: 'cisco-ios' })).json as Json;
  const backup = { id: '6b0e196fe60e9f3dbe74ebcf', name: 'pier-1', rawConfig: 'ip http server\n' };
  await read('POST', `${at}/import/backups`, `${at}/import/backups`, { backups: [backup] });
  const node = { treeId: tree.id, treeVersion: 'initial', nodePath: 'base', updateVariables: false };
  const data = { template: '{d/}ip http server\n', variables: {} };
  await read('PUT', `${at}/node/config`, `${at}/node/config`, { ...node, data });
  const draft = { options: { treeId: tree.id, version: 'initial', nodePath: 'base', deviceName: 'pier-1' } };
  const options = { ...draft.options, configuration: backup.rawConfig };
  const check = `${at}/compliance_reports/config`;
  const report = await read('POST', check, check, { options });
  expect(report.json.issues).toMatchObject([{ found: ['ip http server'] }]);
  expect(report.missing).toEqual([]);
  expect((await read('GET', `${at}/backups/${backup.id}`, `${at}/backups/{id}`)).missing).toEqual([]);
  expect((await read('GET', `${at}/configs`, `${at}/configs`)).missing).toEqual([]);
});

test('what the service writes into devices and their history is described', async () => {
  const { name } = await gateway.device('cisco_ios');
  await gateway.run(name, ['show version']);
  expect((await read('GET', `${at}/devices/${name}`, `${at}/devices/{name}`)).missing).toEqual([]);
  const calls = await read('GET', '/automationgateway/history', '/automationgateway/history');
  expect(calls.json).toMatchObject({ total: 1 });
  expect(calls.missing).toEqual([]);
});

test('what the service writes into accounts and roles, and measures of itself, is described', async () => {
  const account = { accountData: { name: 'pier robot', memberOf: [] } };
  await read('POST', '/oauth/serviceAccounts', '/oauth/serviceAccounts', account);
  for (const path of ['/authorization/accounts', '/authorization/roles', '/health/server']) {
    const versions = expect.stringContaining('.versions.');
    const { missing } = await read('GET', path, path);
    // The libraries in the runtime are those of its makers.
    expect(missing.filter((field) => !versions.asymmetricMatch(field))).toEqual([]);
  }
});
