import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  faceValues,
  indexOperations,
  matchArguments,
  type OperationHead,
  ruleNames,
} from '#server/domains/integrations/types/face.ts';

test.each([
  ['getV4ProjectsId', 'GET', '/v4/projects/{id}'],
  ['getV4ProjectsId', 'GET', '/api/v4/projects/{id}'],
  ['patchDcimDevicesId', 'PATCH', '/api/dcim/devices/{id}/'],
  ['patchDcimDevicesId', 'PATCH', '/dcim/devices/{id}/'],
  ['getReposOwnerRepoContentsPath', 'GET', '/repos/{owner}/{repo}/contents/{path}'],
  ['getRestapi2issueissueIdOrKeytransitions', 'GET', '/rest/api/2/issue/{issueIdOrKey}/transitions'],
  ['postTableName', 'POST', '/api/v2/table/{name}'],
] as const)('the name %s of an adapter belongs to %s %s', (task, method, path) => {
  const others = [
    { name: 'other', method: 'GET', path: '/other' },
    { name: 'same path', method: 'DELETE', path },
  ] as const;
  const find = indexOperations([...others, { name: 'wanted', method, path }]);
  expect(find(task)).toBe('wanted');
  expect(find(task.toUpperCase())).toBe('wanted');
  expect(find(`${task}Two`)).toBeUndefined();
});

test('an own name of an operation counts before the rule, and a name that several operations have finds none', () => {
  const operations: OperationHead[] = [
    { name: 'getDevices', method: 'GET', path: '/inventory' },
    { name: 'list', method: 'GET', path: '/devices' },
    { name: 'one', method: 'GET', path: '/a-b' },
    { name: 'two', method: 'GET', path: '/ab' },
  ];
  const find = indexOperations(operations);
  expect(find('getDevices')).toBe('getDevices');
  expect(find('getInventory')).toBe('getDevices');
  expect(find('getAb')).toBeUndefined();
  expect(find('')).toBeUndefined();
});

const segment = fc.oneof(
  fc.stringMatching(/^[a-z]{1,6}([-_.][a-z]{1,4})?$/),
  fc.stringMatching(/^\{[a-z]{1,5}(_[a-z]{1,4})?\}$/),
  fc.constantFrom('api', 'v1', 'v4', '2'),
);
const anyOperation = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
});

/** The name that an adapter made of a document has: the method, and each segment with a capital. */
const adapterName = ({ method, path }: { method: string; path: string }) =>
  method.toLowerCase() +
  path
    .split('/')
    .filter(Boolean)
    .map((part) =>
      part.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase()),
    )
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

test('the name that an adapter makes of a method and path finds that operation, or none where several have it', () => {
  fc.assert(
    fc.property(fc.array(anyOperation, { minLength: 1, maxLength: 30 }), (given) => {
      const operations = given.map(
        (one, at) =>
          ({ ...one, name: `operation ${at}` }) as OperationHead & { method: OperationHead['method'] },
      );
      const find = indexOperations(operations);
      for (const operation of operations) {
        const found = find(adapterName(operation));
        const [own] = ruleNames(operation);
        const same = operations.filter((one) => ruleNames(one)[0] === own);
        // The whole path counts before a shortened one of another operation.
        expect(found).toBe(same.length === 1 ? operation.name : undefined);
      }
    }),
  );
});

const parameter = (name: string, required = false) => ({
  name,
  wireName: name,
  in: 'query' as const,
  required,
  style: 'form' as const,
  explode: true,
  allowReserved: false,
  description: '',
  schema: {},
});

test('values are matched by name, without signs, by a suffix, as the body, and by the map', () => {
  const operation = {
    parameters: [
      'id',
      'merge_request_iid',
      'per_page',
      'state',
      'constructor',
      'object_type',
      'object_id',
    ].map((name) => parameter(name)),
    body: { required: true, description: '', contents: [] },
  };
  const given = [
    'id',
    'mergeRequestIid',
    'perPageParam',
    'stateParamQuery',
    'data',
    'objectReference',
    'colour',
  ];
  const match = matchArguments(operation, given, {
    values: {
      object_type: { value: 'objectReference', before: '/' },
      object_id: { value: 'objectReference', after: '/' },
      constructor: { constant: 7 },
    },
  });
  expect(match.unmatched).toEqual(['colour']);
  const incoming = {
    adapter_id: 'lab',
    id: 1,
    mergeRequestIid: 2,
    perPageParam: 3,
    stateParamQuery: 'open',
    data: { a: 1 },
    objectReference: 'network/ZG5z:10.0.0.0/24',
    colour: '',
  };
  expect(faceValues(match, incoming)).toEqual({
    values: {
      id: 1,
      merge_request_iid: 2,
      per_page: 3,
      state: 'open',
      requestBodyPayload: { a: 1 },
      object_type: 'network',
      object_id: 'ZG5z:10.0.0.0/24',
      constructor: 7,
    },
    unknown: [],
  });
  expect(faceValues(match, { ...incoming, colour: 'red' }).unknown).toEqual(['colour']);
});
