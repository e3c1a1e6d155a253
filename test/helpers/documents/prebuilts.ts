import { randomUUID } from 'node:crypto';
import { newId } from '#db/ids.ts';
import { asset, task, workflow } from './assets.ts';
import { exportedVersion } from './exported-trees.ts';

type Bundle = { type: string; data: Record<string, unknown> };

/** A sound package of these bundles; every word of it is invented. */
export const prebuilt = (name: string, bundles: Bundle[] = [], more: Record<string, unknown> = {}) => ({
  metadata: {
    name,
    version: '1.2.3',
    description: 'Opens ports',
    author: 'Network team',
    license: 'Apache-2.0',
    repository: { type: 'git', hostname: 'git.example.net', path: '/network/ports' },
    keywords: ['ports'],
    gitlabId: 7,
    IAPDependencies: {},
  },
  manifest: {
    bundleName: name,
    fingerprint: 'sha256-none',
    createdEpoch: '1767225600000',
    artifacts: bundles.map(({ type, data }) => ({
      id: String(data._id ?? data.id ?? data.name),
      name: String(data.name),
      type,
      location: `/bundles/${type}/${String(data.name)}.json`,
    })),
  },
  bundles,
  readme: `# ${name}\n`,
  ...more,
});

/** A package with a bundle of every type, whose automation names the others. */
export function completePrebuilt(tag: string) {
  const ids = {
    flow: randomUUID(),
    form: newId(),
    turn: newId(),
    text: newId(),
    automation: newId(),
    tree: newId(),
  };
  const named = (word: string) => `${word} ${tag}`;
  const child = task('childJob', { workflow: named('Child') });
  const command = task('RunCommandTemplate', { template: named('Commands') });
  const bundles = [
    { type: 'workflow', data: { ...workflow(named('Flow'), [child, command]), _id: ids.flow } },
    { type: 'workflow', data: { ...workflow(named('Child')), _id: randomUUID() } },
    { type: 'transformation', data: asset('transformation', named('Turn'), { _id: ids.turn }) },
    { type: 'template', data: asset('template', named('Text'), { _id: ids.text }) },
    { type: 'forms', data: asset('jsonForm', named('Form'), { _id: ids.form, id: ids.form }) },
    { type: 'json-forms', data: asset('jsonForm', named('Form two'), { id: newId() }) },
    {
      type: 'mop-template',
      data: asset('mopCommandTemplate', named('Commands'), { _id: named('Commands') }),
    },
    {
      type: 'mop-analytic-template',
      data: asset('mopAnalyticTemplate', named('Analytics'), { _id: named('Analytics') }),
    },
    {
      type: 'automation',
      data: {
        _id: ids.automation,
        name: named('Automation'),
        componentName: named('Flow'),
        componentType: 'workflows',
        triggers: [
          { _id: newId(), name: 'by hand', type: 'manual', formId: ids.form },
          { _id: newId(), name: 'by call', type: 'endpoint', routeName: `route-${tag}`, jst: ids.turn },
        ],
      },
    },
    {
      type: 'golden-config',
      data: {
        status: 'success',
        data: [exportedVersion({ name: named('Tree'), treeId: ids.tree })],
        _id: ids.tree,
        name: named('Tree'),
      },
    },
    { type: 'integration', data: { _id: 'i', name: named('Integration') } },
    { type: 'integration-model', data: { _id: 'm', name: named('Model') } },
    { type: 'service-catalog', data: { _id: 's', name: named('Catalog') } },
  ];
  return { ids, named, given: prebuilt(named('Package'), bundles) };
}
