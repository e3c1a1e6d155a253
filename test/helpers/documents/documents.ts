/** An exported golden tree with one version and two nodes, as the import reads it; every word of it is invented. */
export function goldenTree(name: string) {
  const stamps = { created: '2026-01-02T03:04:05.678Z', lastUpdated: '2026-01-02T03:04:05.678Z' };
  const node = (id: string, called: string, template: string, children: unknown[]) => ({
    name: called,
    attributes: {
      devices: [],
      deviceGroups: [],
      remediationWorkflow: null,
      configId: id,
      export: { _id: id, deviceType: 'cisco-ios', template, lines: [], ...stamps },
    },
    children,
  });
  const leaf = node('65b000000000000000000003', 'access', 'ntp server 192.0.2.9\n', []);
  return {
    data: [
      {
        _id: '65b000000000000000000001',
        treeId: '65b000000000000000000002',
        name,
        version: 'initial',
        deviceType: 'cisco-ios',
        root: node('65b000000000000000000004', 'base', 'service password-encryption\n', [leaf]),
        variables: {},
        gbac: { read: [], write: [] },
        tags: [],
        ...stamps,
      },
    ],
  };
}
