import { at, NOBODY, type Step, step } from './step.ts';

/** Golden configuration trees, their nodes and devices. */
export const TREES: Step[] = [
  step(
    'configurationManager.createTree',
    { name: 'Edge', deviceType: 'cisco-ios' },
    { keep: (body: { id: string }) => ({ tree: body.id }) },
  ),
  step('configurationManager.createTree', { name: 'Edge', deviceType: 'cisco-ios' }),
  step('configurationManager.createTree', { name: 'Core', deviceType: 'no-such-system' }),
  step('configurationManager.listTrees'),
  step('configurationManager.searchTrees', { name: 'edg', options: { start: 0, limit: 5 } }),
  step('configurationManager.getTree', ({ tree }) => ({ treeId: tree })),
  step('configurationManager.getTree', { treeId: NOBODY }),
  step('configurationManager.updateTree', ({ tree }) => ({
    treeId: tree,
    options: { name: 'Edge routers' },
  })),
  step('configurationManager.updateTree', ({ tree }) => ({ treeId: tree, options: { name: 5, more: 1 } })),
  step('configurationManager.createNode', ({ tree }) => ({
    treeId: tree,
    version: 'initial',
    parentNodePath: 'base',
    name: 'east coast',
  })),
  step('configurationManager.updateNode', (seen) => ({ ...at('base/east coast')(seen), name: 'east' })),
  step('configurationManager.getNode', at('base/east'), {
    keep: (body: { attributes: { configId: string } }) => ({ spec: body.attributes.configId }),
  }),
  step('configurationManager.getNode', at('base/west')),
  step('configurationManager.getSpec', ({ spec }) => ({ id: spec })),
  ...['ntp server {{ ntp }}\n', 'ntp {{ nobody }}'].map((template) =>
    step('configurationManager.setNodeConfig', ({ tree }) => ({
      treeId: tree,
      treeVersion: 'initial',
      nodePath: 'base/west',
      data: { template, variables: { ntp: '192.0.2.9' } },
      updateVariables: true,
    })),
  ),
  step('configurationManager.updateSpec', ({ spec }) => ({
    id: spec,
    data: { template: '<e/>ntp a\nntp a' },
  })),
  step('configurationManager.updateSpec', ({ spec }) => ({ id: spec, data: { template: '', lines: [] } })),
  step('configurationManager.createSpec', { data: { deviceType: 'cisco-ios', template: '! none' } }),
  step('configurationManager.createSpec', { data: { deviceType: 'no-such', template: '' } }),
  step('configurationManager.generateSpec', {
    deviceType: 'cisco-ios',
    nativeConfig: 'interface x\n mtu 9000',
  }),
  step('configurationManager.translateSpec', ({ spec }) => ({ specId: spec })),
  step('configurationManager.translateSpec', {}),
  step('configurationManager.renderSpecTemplate', ({ spec }) => ({ specId: spec })),
  step('configurationManager.renderJinja2', { template: 'a {{ b }}', variables: { b: 1 } }),
  step('configurationManager.renderJinja2', { template: 'a {{ b }}' }),
  step('configurationManager.addNodeDevices', (seen) => ({ ...at('base/east')(seen), devices: ['edge-1'] })),
  step('configurationManager.addNodeDevices', (seen) => ({ ...at('base')(seen), devices: ['edge-1'] })),
  step('configurationManager.listTreeDevices', ({ tree }) => ({ treeId: tree })),
  step('configurationManager.listDeviceTrees', { deviceName: 'edge-1' }),
  step('configurationManager.removeNodeDevices', (seen) => ({
    ...at('base/east')(seen),
    devices: ['edge-1'],
  })),
];
