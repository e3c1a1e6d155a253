import { expect, test } from 'vitest';
import {
  allowedOf,
  audiencesOf,
  methodsOf,
  partsOf,
  readGrants,
  viewsOf,
  viewsOfRole,
} from '#server/domains/identity/rights/permissions.ts';
import type { Endpoint } from '#server/kernel/platform.ts';
import type { Audience } from '#server/kernel/roles.ts';

const endpoint = (permission: string, method: string, path: string, audience: Audience): Endpoint => ({
  name: permission,
  permission,
  method,
  path,
  audience,
});

const CATALOGUE = [
  endpoint('Session.signIn', 'POST', '/login', 'public'),
  endpoint('Session.whoAmI', 'GET', '/whoami', 'signed-in'),
  endpoint('Audit.listEntries', 'GET', '/audit', ['admin']),
  endpoint('Mop.exportTemplate', 'POST', '/mop/export', ['admin', 'apiread']),
  endpoint('Mop.createTemplate', 'POST', '/mop/createTemplate', ['admin', 'apiwrite']),
  endpoint('Lab.turn', 'PUT', '/lab-bench/:id/knob', ['admin', 'support']),
];

const paths = (views: { path: string }[]) => views.map(({ path }) => path);

test('each endpoint is a method with its route, below its area and in full', () => {
  expect(methodsOf(CATALOGUE)).toHaveLength(CATALOGUE.length);
  expect(methodsOf(CATALOGUE)[2]).toEqual({
    provenance: 'Audit',
    name: 'listEntries',
    deprecated: false,
    route: { verb: 'get', path: '/', fullPath: '/audit' },
  });
  expect(methodsOf(CATALOGUE)[5]?.route).toEqual({
    verb: 'put',
    path: '/:id/knob',
    fullPath: '/lab-bench/:id/knob',
  });
});

test.each([
  ['ConfigurationManager.getTree', { provenance: 'ConfigurationManager', name: 'getTree' }],
  ['nonsense', { provenance: 'nonsense', name: '' }],
  ['', { provenance: '', name: '' }],
])('%j has the parts %j', (permission, parts) => {
  expect(partsOf(permission)).toEqual(parts);
});

test('views: the areas of the interface and those of the catalogue that roles open, each once, in order', () => {
  const views = viewsOf(CATALOGUE);
  expect(views).toHaveLength(14);
  expect(paths(views)).toEqual(paths(views).toSorted());
  expect(views).toContainEqual({ path: '/lab-bench/', provenance: 'LabBench' });
  expect(views).toContainEqual({ path: '/audit/', provenance: 'Audit' });
  expect(views).toContainEqual({ path: '/workflow_builder/', provenance: 'WorkflowBuilder' });
  expect(viewsOf([])).toHaveLength(12);
});

test('a role opens the areas where it may call something', () => {
  expect(paths(viewsOfRole(CATALOGUE, 'apiread'))).toEqual(['/mop/']);
  expect(paths(viewsOfRole(CATALOGUE, 'admin'))).toEqual(['/audit/', '/lab-bench/', '/mop/']);
  expect(viewsOfRole(CATALOGUE, 'other')).toEqual([]);
});

test('a user who holds a role and a custom one may do what either allows, and opens what either opens', () => {
  const caller = { roles: ['apiread'], permissions: ['Lab.turn', 'Gone.method'] };
  const custom = {
    _id: 'r',
    name: 'bench',
    provenance: 'local',
    allowedViews: [
      { path: '/lab-bench/', provenance: 'LabBench' },
      { path: '/gone/', provenance: 'Gone' },
    ],
  };
  const seeded = {
    ...custom,
    name: 'apiread',
    provenance: 'platform',
    allowedViews: [{ path: '/audit/', provenance: 'Audit' }],
  };
  expect(
    allowedOf(caller, [custom, seeded, { _id: 'e', name: 'e', provenance: 'local' }], CATALOGUE),
  ).toEqual({
    methods: { Session: ['signIn', 'whoAmI'], Mop: ['exportTemplate'], Lab: ['turn'] },
    routes: ['/lab-bench/', '/mop/'],
  });
});

test('audiencesOf returns the audience of each permission, and none for unknown ones', () => {
  expect(audiencesOf(CATALOGUE).get('Mop.createTemplate')).toEqual(['admin', 'apiwrite']);
  expect(audiencesOf(CATALOGUE).get('Gone.method')).toBeUndefined();
});

test('grants are stored once each, with the provenance of their view', () => {
  const method = { provenance: 'Lab', name: 'turn' };
  const given = {
    allowedMethods: [{ ...method, extra: 1 }, method],
    allowedViews: [{ path: '/mop/' }, { path: '/mop/', provenance: 'Mop' }],
  };
  expect(readGrants(given, CATALOGUE, ['role'])).toEqual({
    allowedMethods: [method],
    allowedViews: [{ path: '/mop/', provenance: 'Mop' }],
    issues: [],
  });
  expect(readGrants({}, CATALOGUE, [])).toEqual({ issues: [] });
  expect(readGrants({ allowedMethods: [], allowedViews: [] }, CATALOGUE, [])).toEqual({
    allowedMethods: [],
    allowedViews: [],
    issues: [],
  });
});

test('unknown grants are reported, each with its position', () => {
  const given = {
    allowedMethods: [{ provenance: 'Lab', name: 'x'.repeat(300) }, { name: 'turn' }],
    allowedViews: [{ path: '/login/' }, { path: '/mop/', provenance: 'Lab' }],
  };
  const { issues } = readGrants(given, CATALOGUE, ['updates']);
  expect(issues.map(({ path }) => path.join('.'))).toEqual([
    'updates.allowedMethods.0',
    'updates.allowedMethods.1',
    'updates.allowedViews.0',
    'updates.allowedViews.1',
  ]);
  for (const { message } of issues) expect(message.length).toBeLessThan(250);
});
