import { unique } from '../procedures.ts';
import { until } from '../processes/processes.ts';
import { type openService, requestsBelow } from '../service.ts';
import { liveDevices } from './live-devices.ts';

/** A line that devices lack and the rules require. */
export const NTP = 'ntp server 192.0.2.9';
/** The rules of these devices: one line is missing, another must go. */
export const RULES = `hostname edge-r1\n<e/>${NTP}\n{d/}ip http server\n`;

/** Opens what tests of campaigns need: devices that were checked, and accounts that write, approve and start. */
export async function openCampaigns(service: Awaited<ReturnType<typeof openService>>) {
  const { configurationManager: manager, authorization } = await service.as('admin');
  const { configurationManager: writer } = await service.as('apiwrite');
  const { configurationManager: approver } = await service.as('engineering');

  const { done } = requestsBelow(service, '');
  const device = liveDevices(done, service.platform.cli);

  /** Returns devices that were checked against rules which they do not follow. @param more further lines of theirs */
  async function checked(count: number, rules = RULES, more: readonly string[] = []) {
    const { id: treeId } = await manager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
    const base = { treeId, version: 'initial', nodePath: 'base' };
    await manager.setNodeConfig({
      treeId,
      treeVersion: 'initial',
      nodePath: 'base',
      data: { template: rules, variables: {} },
      updateVariables: true,
    } as never);
    const devices = [];
    for (let n = 0; n < count; n += 1)
      devices.push(await device(['hostname edge-r1', 'ip http server', ...more]));
    const names = devices.map(({ name }) => name);
    for (const name of names) await manager.backUpDevice({ name } as never);
    await manager.addNodeDevices({ ...base, devices: names } as never);
    const { batchId } = await manager.runCompliance({ options: base } as never);
    await until(
      'the end of the batch',
      async () => ((await manager.getBatchStatus({ batchId })).status === 'running' ? undefined : true),
      60,
    );
    return { treeId, devices, names };
  }

  /** Returns a campaign when it has one of the states. */
  const reached = (id: string, ...statuses: string[]) =>
    until(
      `a campaign that is ${statuses.join(' or ')}`,
      async () => {
        const campaign = await manager.getCampaign({ id });
        return statuses.includes(campaign.status) ? campaign : undefined;
      },
      90,
    );
  /** Returns the states of the devices of a campaign. */
  const outcomes = async (id: string) =>
    (await manager.listCampaignDevices({ id })).list.map(({ status }) => status);
  return { manager, writer, approver, authorization, done, checked, reached, outcomes };
}
