import type {
  CompliancePlan,
  ImportedPlan,
  PlanNode,
  PlanNodeRequest,
  PlanOptions,
} from '#db/schemas/golden-config/compliance-plan.ts';
import { madeBy, type NewDocumentOptions, wholeGbac } from '#server/kernel/documents/new-document.ts';
import { importedStamp } from '#server/kernel/documents/stamps.ts';
import type { Issue } from '#server/kernel/errors.ts';

/** Default number of devices that a plan checks in parallel. */
const THROTTLE = 5;

/** Returns a node of a plan with all its fields. */
export const wholeNode = <Given extends PlanNodeRequest>({
  devices,
  deviceGroups,
  variables,
  selection,
  ...node
}: Given): PlanNode => ({
  ...node,
  devices: [...new Set(devices ?? [])],
  deviceGroups: [...new Set(deviceGroups ?? [])],
  variables: variables ?? {},
  ...(selection && { selection }),
});

/** Returns the fields that options set on a plan; options that are missing or null set nothing. */
export const planFieldsOf = ({
  description,
  throttle,
  nodes,
  gbac,
}: PlanOptions): Partial<CompliancePlan> => ({
  ...(typeof description === 'string' && { description }),
  ...(typeof throttle === 'number' && { throttle }),
  ...(nodes && { nodes: nodes.map(wholeNode) }),
  ...(gbac && { gbac: wholeGbac(gbac) }),
});

/** Returns a new plan. */
export function newPlan(name: string, options: PlanOptions, maker: NewDocumentOptions): CompliancePlan {
  const id = maker.newId();
  return {
    id,
    _id: id,
    name,
    description: '',
    throttle: THROTTLE,
    nodes: [],
    gbac: wholeGbac(undefined),
    ...madeBy(maker),
    ...planFieldsOf(options),
  };
}

/** Returns a plan as an import stores it: unknown fields are kept, and so are valid timestamps in the past. */
export const importedPlan = (
  { nodes = [], ...given }: ImportedPlan,
  { id, name }: { id: string; name: string },
  maker: NewDocumentOptions,
): CompliancePlan => ({
  ...given,
  ...newPlan(name, {}, { ...maker, newId: () => id }),
  description: given.description ?? '',
  throttle: given.throttle ?? THROTTLE,
  nodes: nodes.map(wholeNode),
  gbac: wholeGbac(given.gbac),
  created: importedStamp(given.created, maker.now),
  lastUpdated: importedStamp(given.lastUpdated, maker.now),
});

/** Returns an issue for each repeated node: a device has one report per run at each node. */
export function repeatedNodes(nodes: readonly { nodeId: string }[], path: (string | number)[]): Issue[] {
  const seen = new Set<string>();
  return nodes.flatMap(({ nodeId }, at) => {
    if (!seen.has(nodeId)) {
      seen.add(nodeId);
      return [];
    }
    return [{ path: [...path, at, 'nodeId'], message: `node ${nodeId} occurs twice`, code: 'taken' }];
  });
}
