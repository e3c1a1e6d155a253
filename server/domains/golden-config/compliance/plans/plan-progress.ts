import type { PlanInstance } from '#db/schemas/golden-config/compliance-plan.ts';

/** Reports that a node of a run has so far, and those among them that could not check their device. */
export type Counts = { done: number; errors: number };

type Progress = Pick<PlanInstance, 'jobStatus' | 'finished'> & { counts: ReadonlyMap<string, Counts> };

/** A node of a run as the counts name it. */
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
 * An instance with how far it is. A node is completed when each of its devices has a report; it is an error when none
 * of them could be checked, or when the run ended before all were (contract/lifecycle#4.9).
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
