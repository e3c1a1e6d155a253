import type { PlanInstance } from '#db/schemas/golden-config/compliance-plan.ts';

/** The number of reports that a node of a run has so far, and how many of them have status `error`. */
export type Counts = { done: number; errors: number };

type Progress = Pick<PlanInstance, 'jobStatus' | 'finished'> & { counts: ReadonlyMap<string, Counts> };

/** Returns the key of a node in the counts. */
export const keyOfNode = ({
  treeId,
  version,
  nodePath,
}: {
  treeId: string;
  version: string;
  nodePath: string;
}): string => JSON.stringify([treeId, version, nodePath]);

/**
 * Returns an instance with its progress. A node is completed when each of its devices has a report; it has status error
 * when none of them could be checked, or when the run ended before all were (contract/lifecycle#4.9).
 */
export const withProgress = (
  instance: PlanInstance,
  { jobStatus, finished, counts }: Progress,
): PlanInstance => ({
  ...instance,
  jobStatus,
  finished,
  nodes: instance.nodes.map((node) => {
    const { done, errors } = counts.get(keyOfNode(node)) ?? { done: 0, errors: 0 };
    return { ...node, status: statusOf(node.devices, done, errors, jobStatus), processedDevices: done };
  }),
});

function statusOf(
  devices: number,
  done: number,
  errors: number,
  jobStatus: PlanInstance['jobStatus'],
): PlanInstance['nodes'][number]['status'] {
  if (done < devices) return jobStatus === 'running' ? 'running' : 'error';
  return devices > 0 && errors >= devices ? 'error' : 'completed';
}
