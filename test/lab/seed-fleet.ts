import { GOLDEN_RULES, NTP_SERVER } from './golden-rules.ts';
import { DEVICE_TYPES, nameOf } from './world.ts';

/** Sends a request that must succeed, and returns the body of the answer. */
export type Send = <Body>(method: string, path: string, body?: unknown) => Promise<Body>;

type Tree = { id: string; root: { attributes: { configId: string } } };

/** Backs up every device of the lab. @throws Error when one cannot be read */
export const backUpFleet = (send: Send) =>
  Promise.all(
    DEVICE_TYPES.map((type) =>
      send('POST', '/configuration_manager/devices/backups', { name: nameOf(type) }),
    ),
  );

/**
 * Adds a golden tree for each kind of device, and a compliance plan over all of them.
 *
 * @param known trees that exist already, by kind of device
 * @throws Error when a request is rejected
 */
export async function seedPlan(send: Send, known: Readonly<Record<string, Tree>>): Promise<void> {
  const nodes: object[] = [];
  for (const { device_type, ostype, template } of GOLDEN_RULES) {
    const tree = known[device_type] ?? (await addTree(send, device_type, ostype, template));
    nodes.push({ treeId: tree.id, version: 'initial', nodeId: tree.root.attributes.configId });
  }
  await send('POST', '/configuration_manager/compliance_plans', { name: 'Lab', options: { nodes } });
}

async function addTree(send: Send, device_type: string, deviceType: string, template: string): Promise<Tree> {
  const tree = await send<Tree>('POST', '/configuration_manager/configs', {
    name: `Lab ${deviceType}`,
    deviceType,
  });
  await send('PUT', '/configuration_manager/node/config', {
    treeId: tree.id,
    treeVersion: 'initial',
    nodePath: 'base',
    updateVariables: true,
    data: { template, variables: { ntp: NTP_SERVER } },
  });
  await send('POST', `/configuration_manager/configs/${tree.id}/initial/base/devices`, {
    devices: [nameOf(device_type)],
  });
  return tree;
}
