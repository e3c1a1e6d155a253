import { z } from 'zod';
import { flag, optional, record, text, texts } from '../fields.ts';
import { Gbac, GbacUpdate, Name, ObjectId, TagReference, Timestamp } from '../primitives.ts';
import { ImportedSpec, Spec } from './config-spec.ts';

/** A golden configuration tree, as stored and as summarised to callers (contract/resources#2.7, contract/lifecycle#4.5). */
export const GoldenTree = z
  .looseObject({
    id: ObjectId.describe('Id of the tree'),
    _id: ObjectId.optional().describe('Id of the tree; the same value as id'),
    name: z.string().meta({ description: 'Name of the tree, unique', examples: ['Edge routers'] }),
    deviceType: z.string().meta({
      description: 'Name of the config parser for the configurations of this tree',
      examples: ['cisco-ios'],
    }),
    versions: z.array(z.string()).meta({
      description: 'Names of the versions of the tree; the first one is called initial',
      examples: [['initial', 'v2', 'draft v3']],
    }),
    created: Timestamp.describe('When the tree was stored'),
    createdBy: text('Id of the account that stored the tree'),
    lastUpdated: Timestamp.describe('When the tree or one of its versions last changed'),
    lastUpdatedBy: text('Id of the account that last changed the tree or one of its versions'),
    description: text('Purpose of the tree'),
    gbac: Gbac.optional().describe('Groups that may see and change the tree'),
    tags: z.array(TagReference).optional().describe('Labels of the tree'),
  })
  .meta({ id: 'GoldenTree', description: 'Summary of a golden configuration tree.' });
export type GoldenTree = z.infer<typeof GoldenTree>;

/** The fields of a tree that can be changed (contract/resources#2.7, contract/endpoints#4.15); omitted ones stay. */
export const TreeUpdate = z
  .strictObject({
    name: optional(Name).describe('New name; must not be the name of another tree'),
    gbac: optional(GbacUpdate).describe('New access list; it replaces the previous one'),
  })
  .meta({ id: 'TreeUpdate', description: 'Changes to a golden tree; fields that are not given are kept.' });
export type TreeUpdate = z.infer<typeof TreeUpdate>;

/** The devices, groups and other attributes of a node (contract/lifecycle#4.5). */
export const NodeAttributes = z
  .looseObject({
    devices: texts('Names of the devices checked at this node', ['edge-1', 'edge-2']),
    deviceGroups: z
      .array(
        z.looseObject({
          id: text('Id of the device group'),
          date: Timestamp.optional().describe('When the group was assigned to the node'),
        }),
      )
      .optional()
      .describe('Device groups checked at this node; their members are treated as its own devices'),
    remediationWorkflow: z
      .string()
      .nullable()
      .optional()
      .describe('Workflow offered for remediating devices of this node; null for none'),
    configId: ObjectId.optional().describe('Id of the spec with the rules of this node'),
    export: ImportedSpec.optional().describe('The spec itself; only in exports and imports'),
  })
  .meta({ id: 'NodeAttributes', description: 'Devices, groups and rules of a node.' });
export type NodeAttributes = z.infer<typeof NodeAttributes>;

/** A node of a golden tree, with everything below it (contract/lifecycle#4.5). */
export const Node = z
  .looseObject({
    name: z.string().meta({
      description: 'Name of the node, unique among its siblings; a path is these names joined by slashes',
      examples: ['base'],
    }),
    attributes: NodeAttributes.optional().describe('Devices, groups and rules of the node'),
    staleLines: flag(
      'True when stored rule lines, of the template or a section, differ from those derived from it and the present variables',
    ),
    get children(): z.ZodOptional<z.ZodArray<typeof Node>> {
      return z
        .array(Node)
        .optional()
        .describe('Child nodes; their devices are checked against the rules of this node as well');
    },
  })
  .meta({
    id: 'Node',
    description: 'A node of a golden tree: rules, the devices they apply to, and child nodes.',
  });
export type Node = z.infer<typeof Node>;

/** A node requested by its path (contract/lifecycle#4.5). */
export const NodeDetail = Node.extend({
  path: z.string().meta({ description: 'Names from the root to this node', examples: ['base/access'] }),
  spec: Spec.describe('Rules of this node only'),
  effective: z
    .array(ObjectId)
    .describe('Ids of all specs that apply to the devices of this node, the root’s first'),
}).meta({ id: 'NodeDetail', description: 'One node with its rules and those it inherits.' });
export type NodeDetail = z.infer<typeof NodeDetail>;

/** One version of a tree in an export or import (contract/lifecycle#4.7). */
export const ImportedTreeVersion = z
  .looseObject({
    id: ObjectId.optional().describe('Id of the tree; an import creates a new one unless it overwrites'),
    _id: ObjectId.optional().describe('Id of this version'),
    treeId: ObjectId.optional().describe('Id of the tree; the same value as id'),
    name: z.string().describe('Name of the tree; the same in all its versions'),
    version: z.string().meta({ description: 'Name of the version', examples: ['initial'] }),
    deviceType: z.string().meta({
      description: 'Name of the config parser for the configurations; the same in all versions',
      examples: ['cisco-ios'],
    }),
    root: Node.describe('The topmost node, usually called base, with the whole tree below it'),
    variables: record('Values for the Jinja expressions of the templates, by name'),
    gbac: Gbac.optional().describe('Groups that may see and change the tree'),
    tags: z.array(TagReference).optional().describe('Labels of the tree'),
    created: Timestamp.optional().describe('When the version was stored'),
    createdBy: text('Id of the account that stored the version'),
    lastUpdated: Timestamp.optional().describe('When the version last changed'),
    lastUpdatedBy: text('Id of the account that last changed the version'),
  })
  .meta({
    id: 'ImportedTreeVersion',
    description: 'One version of a golden tree in an export file, with the rules in each node.',
  });
export type ImportedTreeVersion = z.infer<typeof ImportedTreeVersion>;

/** One version of a golden tree, as stored and returned (contract/lifecycle#4.5). */
export const TreeVersion = ImportedTreeVersion.extend({
  id: ObjectId.describe('Id of the tree'),
  _id: ObjectId.describe('Id of this version'),
  treeId: ObjectId.describe('Id of the tree; the same value as id'),
  variables: z
    .record(z.string(), z.unknown())
    .describe('Values for the Jinja expressions of the templates, by name'),
}).meta({ id: 'TreeVersion', description: 'One version of a golden tree with all its nodes.' });
export type TreeVersion = z.infer<typeof TreeVersion>;

/** The fields of a version that can be changed (contract/lifecycle#4.5); omitted ones stay. */
export const TreeVersionUpdate = z
  .strictObject({
    name: Name.optional().describe('New name of the version'),
    variables: record('New values for the templates; they replace all previous ones'),
  })
  .meta({ id: 'TreeVersionUpdate', description: 'Changes to one version of a golden tree.' });
export type TreeVersionUpdate = z.infer<typeof TreeVersionUpdate>;

/** A tree as exported: one element per version (contract/lifecycle#4.7). */
export const TreeExport = z
  .looseObject({
    status: z.literal('success').describe('Always success'),
    data: z.array(ImportedTreeVersion).min(1).describe('The tree, one element per version'),
  })
  .meta({ id: 'TreeExport', description: 'A golden tree ready to be imported elsewhere.' });

/** One tree to import: an export file, and how to treat a tree that already exists (contract/lifecycle#4.7). */
export const TreeImport = z
  .looseObject({
    data: z
      .array(ImportedTreeVersion)
      .min(1)
      .describe('The tree, one element per version; all have the same tree name and device type'),
    overwrite: flag(
      'True replaces the tree of the same name; its id and devices are kept, and versions that are missing here are deleted',
    ),
    overWrite: flag('The same as overwrite, as some clients spell it'),
    newName: Name.optional().describe('New name of the tree; absent: its name in the file'),
  })
  .meta({
    id: 'TreeImport',
    description: 'A golden tree to import; an export file can be imported unchanged.',
  });
export type TreeImport = z.infer<typeof TreeImport>;
