import type { Form, Harbour } from './form.ts';

/** The forms of golden configs, compliance, proposals and campaigns. */
export function formsOfCompliance({ exported, treeId, nodeId, campaignId, proposalIds }: Harbour): Form[] {
  const [first, second] = proposalIds;
  const node = `/trees/${treeId}`;
  return [
    {
      file: 'screens/campaigns/campaign-form.tsx',
      path: '/campaigns',
      open: ['Create campaign'],
      choose: { 'Golden config': treeId },
      text: { Name: 'Time servers', 'Name pattern': 'quay-3', 'Devices of each wave': '1, 2' },
      send: /^Make proposals for 1 device/,
    },
    {
      file: 'screens/campaigns/campaign-actions.tsx',
      path: `/campaigns/${campaignId}`,
      open: ['Approve'],
      text: { Comment: 'Read by two' },
      send: 'Approve 1 proposal',
    },
    {
      file: 'screens/compliance/proposals/proposal-actions.tsx',
      path: `/proposals/${first}`,
      open: ['Approve'],
      text: { Comment: 'Read twice' },
      send: 'Approve this text',
    },
    {
      file: 'screens/compliance/proposals/proposal-actions.tsx',
      path: `/proposals/${second}`,
      open: ['Reject'],
      text: { Reason: 'The harbour is closed until Monday' },
      send: 'Reject',
    },
    {
      file: 'screens/compliance/run-dialog.tsx',
      path: `/compliance?tree=${treeId}`,
      open: ['Run compliance'],
      text: { 'Only these devices': 'quay-1, quay-2' },
      send: 'Check 2 devices',
    },
    {
      file: 'screens/compliance/plans/plan-form.tsx',
      path: '/compliance-plans',
      open: ['Create plan'],
      choose: { 'Golden config 1': treeId, 'Node to check 1': nodeId },
      tick: ['All quays'],
      text: {
        Name: 'Every night',
        'Only these devices 1': 'quay-1\nquay-2',
        'Variables 1': '{ "ntp": "192.0.2.9" }',
      },
      send: 'Create plan',
    },
    {
      file: 'screens/trees/parsers/parser-form.tsx',
      path: '/parsers',
      open: ['Create parser'],
      choose: { 'Based on': 'cisco-ios' },
      text: { Name: 'Mole switches', Rules: 'end_line \\n\nword \\S+' },
      send: 'Create parser',
    },
    {
      file: 'screens/trees/node-devices.tsx',
      path: `${node}?tab=devices`,
      open: ['Assign devices'],
      text: { Names: 'quay-8, quay-9' },
      send: 'Assign 2 devices',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: node,
      open: [/^More/, 'Rename'],
      text: { Name: 'Quays of old' },
      send: 'Rename',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: '/trees',
      open: ['Create golden config'],
      choose: { 'Device type': 'cisco-ios' },
      text: { Name: 'Moles', Description: 'Of stone' },
      send: 'Create',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: '/trees',
      open: ['Import'],
      text: { 'Or its text': JSON.stringify([{ data: exported, newName: 'Copied' }]) },
      send: 'Import',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: node,
      open: [/^More/, 'Branch initial'],
      text: { 'Name of the new version': 'spring' },
      send: 'Create version',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: node,
      open: [/^Node/, 'Add a node below'],
      text: { Name: 'north' },
      send: /^Add/,
    },
    {
      file: 'screens/trees/template/template-editor.tsx',
      path: node,
      text: { Template: 'hostname mole' },
      send: 'Save template',
    },
    {
      file: 'screens/trees/node-variables.tsx',
      path: `${node}?tab=variables`,
      text: { Variables: '{ "site": "mole" }' },
      send: 'Save variables',
    },
  ];
}
