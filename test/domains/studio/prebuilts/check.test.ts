import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packageIssues } from '#server/domains/studio/prebuilts/check.ts';
import { prebuilt } from '../../../helpers/documents/prebuilts.ts';

type Json = Record<string, unknown>;

const issues = (given: unknown) => packageIssues(given, ['prebuilt']);
const reported = (given: unknown) => issues(given).map(({ path }) => path.slice(1).join('.'));

const flow = { type: 'workflow', data: { _id: '0b4c1d2e-0000-4000-8000-000000000001', name: 'Flow' } };
const form = { type: 'forms', data: { id: '65f0c1d2e3a4b5c6d7e8f901', name: 'Form' } };
const artifact = (type: string, id: string, name: string) => ({ type, id, name, location: '/' });
const sound = () => prebuilt('Sound', [flow, form]);

/** The value without the member at a path. */
function without(value: Json, [member, ...rest]: readonly string[]): Json {
  if (member === undefined) return value;
  const { [member]: gone, ...others } = value;
  return rest.length === 0 ? others : { ...others, [member]: without(gone as Json, rest) };
}

/** The value with another one at a path. */
function having(value: Json, [member, ...rest]: readonly (string | number)[], next: unknown): Json {
  if (member === undefined) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Json;
  copy[member] = rest.length === 0 ? next : having(value[member] as Json, rest, next);
  return copy;
}

const REQUIRED = [
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'version'],
  ['metadata', 'description'],
  ['metadata', 'author'],
  ['metadata', 'license'],
  ['metadata', 'repository'],
  ['metadata', 'repository', 'type'],
  ['manifest'],
  ['manifest', 'bundleName'],
  ['manifest', 'artifacts'],
  ['manifest', 'fingerprint'],
  ['manifest', 'createdEpoch'],
  ['bundles'],
  ['readme'],
] as const;

test('a valid package has no faults, nor has an empty one', () => {
  expect(issues(sound())).toEqual([]);
  expect(issues(prebuilt('Empty'))).toEqual([]);
});

test('whatever required fields are gone, each is named', () => {
  fc.assert(
    fc.property(fc.subarray([...REQUIRED], { minLength: 1 }), (gone) => {
      const broken = gone.reduce<Json>(
        (value, path) =>
          path.slice(0, -1).reduce<unknown>((at, name) => (at as Json)?.[name], value)
            ? without(value, path)
            : value,
        sound(),
      );
      const named = reported(broken);
      for (const path of gone) {
        const [outermost] = path
          .map((_, at) => path.slice(0, at + 1))
          .filter((one) => gone.some((other) => other.join('.') === one.join('.')));
        expect(named).toContain(outermost?.join('.'));
      }
    }),
  );
});

test.each(['1.2.3', '0.0.0', '10.20.30-alpha.1+build.5', '1.0.0--', '2026.1.0'])(
  'accepts the version %s',
  (version) => {
    expect(reported(having(sound(), ['metadata', 'version'], version))).toEqual([]);
  },
);

test.each([
  '',
  'one',
  '1',
  '1.2',
  '01.2.3',
  '1.2.3.4',
  'v1.2.3',
  '1.2.3-',
  '1.2.3-01',
  '1.2.3 ',
  `1.2.3-${'a'.repeat(300)}`,
])('rejects the version %s', (version) => {
  expect(reported(having(sound(), ['metadata', 'version'], version))).toEqual(['metadata.version']);
});

test('manifest and bundles must name the same assets', () => {
  expect(reported(having(sound(), ['bundles'], []))).toEqual([
    'manifest.artifacts.0',
    'manifest.artifacts.1',
  ]);
  expect(reported(having(sound(), ['manifest', 'artifacts'], []))).toEqual(['bundles.0', 'bundles.1']);
  expect(reported(having(sound(), ['bundles', 0, 'type'], 'template'))).toEqual([
    'manifest.artifacts.0',
    'bundles.0',
  ]);
  expect(reported(having(sound(), ['bundles', 0], { type: 'workflow' }))).toEqual([
    'manifest.artifacts.0',
    'bundles.0',
  ]);
  // Two bundles that are one asset: one of them is nobody's.
  expect(reported(having(sound(), ['bundles'], [flow, flow, form]))).toEqual(['bundles.1']);
});

test('an artifact is its bundle by id, or by name; its type may be either word for forms', () => {
  const by = (...artifacts: object[]) => reported(having(sound(), ['manifest', 'artifacts'], artifacts));
  const byId = artifact('workflow', flow.data._id, 'Another name');
  const byName = artifact('json-forms', 'another id', 'Form');
  expect(by(byId, byName)).toEqual([]);
  expect(by(byId, artifact('json-forms', 'another id', 'Another'))).toEqual([
    'manifest.artifacts.1',
    'bundles.1',
  ]);
  // The one found by its id leaves the one found by its name to the other.
  const twin = { type: 'workflow', data: { _id: 'second', name: 'Flow' } };
  const two = { ...sound(), bundles: [flow, twin] };
  const artifacts = [artifact('workflow', 'unknown', 'Flow'), artifact('workflow', flow.data._id, 'Flow')];
  expect(reported(having(two, ['manifest', 'artifacts'], artifacts))).toEqual([]);
});

test('no artifact occurs twice', () => {
  const once = sound();
  const [first] = once.manifest.artifacts;
  const twice = having(once, ['manifest', 'artifacts'], [...once.manifest.artifacts, first]);
  expect(reported(twice)).toEqual(['manifest.artifacts.2.id', 'manifest.artifacts.2']);
});

test('types are those of both lists', () => {
  const types = [
    'automation',
    'forms',
    'golden-config',
    'integration',
    'integration-model',
    'json-forms',
    'mop-analytic-template',
    'mop-template',
    'service-catalog',
    'template',
    'transformation',
    'workflow',
  ];
  const bundles = types.map((type) => ({ type, data: { _id: `id of ${type}`, name: type } }));
  expect(issues(prebuilt('All', bundles))).toEqual([]);
  const unknown = prebuilt('Unknown', [{ type: 'adapter', data: { _id: 'a', name: 'b' } }]);
  expect(reported(unknown)).toEqual(['manifest.artifacts.0.type', 'bundles.0.type']);
});

test('an exported golden configuration is found by its versions', () => {
  const data = { status: 'success', data: [{ _id: 'v', treeId: 't', name: 'Edge' }] };
  const one = prebuilt('Golden', [{ type: 'golden-config', data: { ...data, _id: 't', name: 'Edge' } }]);
  const bare = having(one, ['bundles', 0, 'data'], data);
  expect(issues(bare)).toEqual([]);
});

test('all mistakes are reported together, whatever else is malformed', () => {
  const broken = {
    metadata: { name: '', version: 'one', repository: 5 },
    manifest: { artifacts: [{ type: 'adapter', id: '' }, 7], createdEpoch: 5 },
    bundles: [{ type: 'workflow' }, null],
  };
  expect(new Set(reported(broken))).toEqual(
    new Set([
      'metadata.name',
      'metadata.version',
      'metadata.description',
      'metadata.author',
      'metadata.license',
      'metadata.repository',
      'manifest.bundleName',
      'manifest.fingerprint',
      'manifest.createdEpoch',
      'manifest.artifacts.0.id',
      'manifest.artifacts.0.name',
      'manifest.artifacts.0.type',
      'manifest.artifacts.0',
      'manifest.artifacts.1',
      'bundles.0',
      'bundles.1',
      'readme',
    ]),
  );
});

test('nothing that can be sent makes the check fail', () => {
  fc.assert(fc.property(fc.anything({ maxDepth: 4 }), (given) => void issues(given)));
  const part = fc.anything({ maxDepth: 3 });
  fc.assert(
    fc.property(
      fc.record({ metadata: part, manifest: fc.record({ artifacts: part }), bundles: fc.array(part) }),
      (given) => {
        expect(issues(given).length).toBeGreaterThan(0);
      },
    ),
  );
});
