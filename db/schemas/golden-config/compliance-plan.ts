import { z } from 'zod';
import { text } from '../fields.ts';
import { Selection } from '../network/selection.ts';
import { Gbac, GbacUpdate, Name, ObjectId, Timestamp } from '../primitives.ts';

const version = z.string().meta({ description: 'Version of that tree', examples: ['initial'] });
const nodePath = z.string().meta({
  description: 'Node of the golden tree: names from the root down, separated by slashes',
  examples: ['base/access'],
});

/** A node that a plan checks, with its options (contract/lifecycle#4.9). */
export const PlanNode = z
  .looseObject({
    treeId: ObjectId.describe('Golden tree to check against'),
    version,
    nodeId: ObjectId.describe('Node of that version: the id of its spec, `configId`'),
    devices: z.array(z.string()).meta({
      description: 'Devices to check; without devices and groups: the devices of the node',
      examples: [['edge-1']],
    }),
    deviceGroups: z.array(z.string()).describe('Ids of device groups whose devices are checked as well'),
    selection: Selection.optional().describe('Devices to check by their properties, found when a run starts'),
    variables: z
      .record(z.string(), z.unknown())
      .describe('Values for the templates, which override those of tree and node'),
  })
  .meta({ id: 'PlanNode', description: 'A node of a golden tree that a compliance plan checks.' });
export type PlanNode = z.infer<typeof PlanNode>;

/** A node of a plan in a request; omitted fields are empty. */
export const PlanNodeRequest = z
  .strictObject({
    treeId: ObjectId.describe('Golden tree to check against'),
    version,
    nodeId: ObjectId.describe('Node of that version: the id of its spec, `configId`'),
    devices: z.array(z.string().min(1).max(255)).max(1_000_000).nullish().describe('Devices to check'),
    deviceGroups: z.array(z.string()).max(10_000).nullish().describe('Ids of device groups to check'),
    selection: Selection.nullish().describe('Devices to check by their properties'),
    variables: z.record(z.string(), z.unknown()).nullish().describe('Values for the templates'),
  })
  .meta({ id: 'PlanNodeRequest', description: 'A node to be checked by a compliance plan.' });
export type PlanNodeRequest = z.infer<typeof PlanNodeRequest>;

/** A named compliance check that is run repeatedly (contract/lifecycle#4.9). */
export const CompliancePlan = z
  .looseObject({
    id: ObjectId.describe('Id of the plan'),
    _id: ObjectId.describe('Id of the plan; the same value as id'),
    name: z.string().meta({ description: 'Name of the plan, unique', examples: ['Nightly'] }),
    description: text('Purpose of the plan'),
    throttle: z.number().describe('Number of devices that a run checks concurrently, over all processes'),
    nodes: z.array(PlanNode).describe('Nodes that it checks'),
    gbac: Gbac.optional().describe('Groups that may see and change the plan'),
    created: Timestamp.describe('When the plan was stored'),
    createdBy: text('Id of the account that stored it'),
    lastUpdated: Timestamp.describe('When the plan last changed'),
    lastUpdatedBy: text('Id of the account that last changed it'),
  })
  .meta({ id: 'CompliancePlan', description: 'Nodes of golden trees that are checked together.' });
export type CompliancePlan = z.infer<typeof CompliancePlan>;

/** The fields of a plan that can be set (contract/lifecycle#4.9); omitted ones stay. */
export const PlanOptions = z
  .strictObject({
    description: z.string().nullish().describe('Purpose of the plan'),
    throttle: z
      .int()
      .min(1)
      .max(1000)
      .nullish()
      .describe('Number of devices that a run checks concurrently; absent: 5'),
    nodes: z.array(PlanNodeRequest).max(1000).nullish().describe('Nodes that it checks, at most 1,000'),
    gbac: GbacUpdate.nullish().describe('Groups that may see and change the plan'),
  })
  .meta({ id: 'PlanOptions', description: 'Fields of a compliance plan that can be set.' });
export type PlanOptions = z.infer<typeof PlanOptions>;

/** A plan in an import (contract/lifecycle#4.9). */
export const ImportedPlan = CompliancePlan.partial()
  .extend({
    name: Name,
    nodes: z
      .array(PlanNode.partial({ devices: true, deviceGroups: true, variables: true }))
      .max(1000)
      .optional()
      .describe('Nodes that it checks'),
  })
  .meta({ id: 'ImportedPlan', description: 'A compliance plan to import.' });
export type ImportedPlan = z.infer<typeof ImportedPlan>;

/** One run of a plan (contract/lifecycle#4.9). */
export const PlanInstance = z
  .looseObject({
    id: ObjectId.describe('Id of the instance'),
    _id: ObjectId.describe('Id of the instance; the same value as id'),
    planId: ObjectId.describe('Plan that was run'),
    name: z.string().meta({ description: 'Name of the plan when it was run', examples: ['Nightly'] }),
    description: text('Purpose of the plan'),
    jobStatus: z.enum(['running', 'complete', 'canceled', 'error']).describe('Status of the run'),
    batchId: ObjectId.describe('Batch that holds its reports'),
    started: Timestamp.describe('Start of the run'),
    finished: Timestamp.nullable().describe('End of the run; null while it is running'),
    nodes: z
      .array(
        z.looseObject({
          treeId: ObjectId.describe('Golden tree'),
          version,
          nodeId: ObjectId.describe('Node: the id of its spec'),
          nodePath,
          status: z
            .enum(['running', 'completed', 'error'])
            .describe(
              'error: none of its devices could be checked, or the run ended before all were checked',
            ),
          devices: z.int().min(0).describe('Devices to check'),
          processedDevices: z.int().min(0).describe('Devices that have a report'),
        }),
      )
      .describe('Progress of each node'),
  })
  .meta({ id: 'PlanInstance', description: 'One run of a compliance plan.' });
export type PlanInstance = z.infer<typeof PlanInstance>;
