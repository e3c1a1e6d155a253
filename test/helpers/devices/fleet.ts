import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchStatus, Report, ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { Node, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { openConfiguration } from '../configuration.ts';

/** One error, two warnings and seven passes, of ten rules. */
export const TEN_RULES = `hostname edge
<e/>ntp server 192.0.2.9
logging host 192.0.2.8
{d/}ip http server
ip domain lookup
interface Loopback0
 description {/.+/}
 no shutdown
service password-encryption
line vty 0 4
`;
export const TEN_LINES = `hostname edge
ip http server
ip domain lookup
interface Loopback0
 description invented
 no shutdown
service password-encryption
line vty 0 4
`;

/** A service with trees, backups and runs in a line each; `works` as openService has it. */
export async function openFleet(works = true) {
  const service = await openConfiguration({}, { works });
  const { done } = service;
  let counter = 0;

  const tree = async (
    template: string,
    variables: Record<string, unknown> = {},
    deviceType = 'cisco-ios',
  ) => {
    const made = await done<TreeVersion>('POST', '/configs', { name: `Fleet ${counter++}`, deviceType });
    const version = { treeId: made.id, version: 'initial' };
    const path = `/configs/${made.id}/initial`;
    const rules = (nodePath: string, text: string, more: Record<string, unknown> = {}) =>
      done('PUT', '/node/config', {
        treeId: made.id,
        treeVersion: 'initial',
        nodePath,
        data: { template: text, variables: more },
        updateVariables: true,
      });
    await rules('base', template, variables);
    return {
      ...version,
      id: made.id,
      rules,
      child: (above: string, name: string) => done<Node>('POST', `${path}/${above}`, { name }),
      place: (nodePath: string, devices: string[]) =>
        done('POST', `${path}/${nodePath}/devices`, { devices }),
      remove: (nodePath: string) => done('DELETE', `${path}/${nodePath}`),
      at: (nodePath: string) => ({ ...version, nodePath }),
    };
  };

  /** Backups of devices, one each, taken at this moment of their own. */
  const backUp = (texts: Record<string, string>, date = '2026-02-03T04:05:06.000Z') =>
    done('POST', '/import/backups', {
      backups: Object.entries(texts).map(([name, rawConfig]) => ({ name, rawConfig, date })),
    });

  const start = async (options: Record<string, unknown>): Promise<string> => {
    const { batchId } = await done<{ batchId: string }>('POST', '/compliance_reports', { options });
    return batchId;
  };

  const status = (batchId: string) => done<BatchStatus>('GET', `/compliance_reports/batch/${batchId}/status`);

  const ended = async (batchId: string, seconds = 30): Promise<BatchStatus> => {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const reported = await status(batchId);
      if (reported.status !== 'running') return reported;
      if (Date.now() > end) throw new Error(`batch ${batchId} still runs: ${JSON.stringify(reported)}`);
      await sleep(50);
    }
  };

  const headers = (batchId: string) => done<ReportHeader[]>('GET', `/compliance_reports/batch/${batchId}`);

  const reports = async (batchId: string): Promise<Report[]> => {
    const found = await headers(batchId);
    return done<Report[]>('POST', '/compliance_reports/details', { reportIds: found.map(({ id }) => id) });
  };

  /** A run to its end, and its reports with their issues. */
  const run = async (options: Record<string, unknown>): Promise<Report[]> => {
    const batchId = await start(options);
    await ended(batchId);
    return reports(batchId);
  };

  return { ...service, tree, backUp, start, status, ended, headers, reports, run };
}
