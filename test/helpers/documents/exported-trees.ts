import { newId } from '#db/ids.ts';
import type { ImportedTreeVersion, Node } from '#db/schemas/golden-config/golden-tree.ts';

/** A node of an export, its spec inside, with members that nobody knows at each depth. */
export function exportedNode(name: string, children: Node[] = [], template = `hostname ${name}\n`): Node {
  const spec = newId();
  return {
    name,
    colour: 'teal',
    attributes: {
      devices: [],
      deviceGroups: [],
      remediationWorkflow: null,
      configId: spec,
      pinned: true,
      export: {
        _id: spec,
        created: '2025-05-06T07:08:09.010Z',
        createdBy: '65f0c1d2e3a4b5c6d7e8f9aa',
        deviceType: 'cisco-ios',
        lastUpdated: '2025-05-06T07:08:09.011Z',
        lastUpdatedBy: '65f0c1d2e3a4b5c6d7e8f9aa',
        template,
        reviewed: { by: 'nobody' },
        lines: [
          {
            id: '65f0c1d2e3a4b5c6',
            words: [
              { type: 'literal', value: 'hostname', hint: 1 },
              { type: 'variable', value: name },
            ],
            lines: [],
            evalMode: 'required',
            fixMode: 'manual',
            severity: 'warning',
            ordering: 'none',
            membership: 'default',
            origin: ['template'],
          },
        ],
      },
    },
    children,
  };
}

/** One version of an exported tree. */
export const exportedVersion = (change: Partial<ImportedTreeVersion> = {}): ImportedTreeVersion => ({
  _id: newId(),
  name: 'Edge routers',
  version: 'initial',
  created: '2025-05-06T07:08:09.010Z',
  createdBy: '65f0c1d2e3a4b5c6d7e8f9aa',
  deviceType: 'cisco-ios',
  gbac: { read: [], write: [] },
  lastUpdated: '2025-06-07T08:09:10.011Z',
  lastUpdatedBy: '65f0c1d2e3a4b5c6d7e8f9aa',
  root: exportedNode('base', [exportedNode('access', [exportedNode('north')]), exportedNode('core')]),
  tags: [],
  treeId: newId(),
  variables: { ntp: ['192.0.2.9'], deep: { er: null } },
  origin: { file: 'edge.json' },
  ...change,
});
