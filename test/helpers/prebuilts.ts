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
