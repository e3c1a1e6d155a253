import { z } from 'zod';
import { ObjectId } from '../primitives.ts';

/** A version of a tree, or what each of its devices was checked against last. */
export const TreePart = z.strictObject({
  treeId: ObjectId.describe('Golden tree against which devices were checked'),
  version: z
    .string()
    .optional()
    .meta({ description: 'Version; absent: the last one of each device', examples: ['initial'] }),
});
export type TreePart = z.infer<typeof TreePart>;

/** The rules of a tree, or those that contain a text. */
export const RuleFileRequest = TreePart.extend({
  text: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Text in the rule or a line above it; case is ignored', examples: ['ntp'] }),
});
export type RuleFileRequest = z.infer<typeof RuleFileRequest>;

/** A page of the rules of a tree. */
export const RulesRequest = RuleFileRequest.extend({
  start: z.int().min(0).optional().describe('Number of rules to skip; absent: 0'),
  limit: z.int().min(1).max(200).optional().describe('Maximum number of rules; absent: 25'),
});
export type RulesRequest = z.infer<typeof RulesRequest>;

/** The newest reports of the devices of a tree, or of a part of it. */
export const ReportFileRequest = TreePart.extend({
  nodePath: z
    .string()
    .optional()
    .meta({ description: 'This node and the nodes below it; absent: all', examples: ['base'] }),
});
export type ReportFileRequest = z.infer<typeof ReportFileRequest>;
