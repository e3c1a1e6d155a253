import { z } from 'zod';
import { foreignValues, text, textOrNull } from '../fields.ts';
import { Author, Gbac, ObjectId, Timestamp } from '../primitives.ts';
import { ImportedTrigger } from './trigger.ts';

const automationFields = {
  name: z.string().meta({ description: 'Name of the automation, unique', examples: ['Upgrade IOS devices'] }),
  description: text('What the automation does'),
  componentType: z
    .enum(['workflows', 'ucm_compliance_plans', 'ucm_compliance_plan'])
    .register(foreignValues, { values: ['agents'] })
    .optional()
    .describe('Kind of component to start: a workflow, or a compliance plan (in either spelling)'),
  componentName: textOrNull('Name of the workflow or plan; used when its id is unknown'),
  created: Timestamp.optional().describe('When the automation was stored'),
  lastUpdated: Timestamp.optional().describe('When the automation last changed'),
};

/** An automation, which users or triggers can start (contract/resources#2.14, contract/lifecycle#6.1). */
export const Automation = z
  .looseObject({
    _id: ObjectId.describe('Id of the automation'),
    ...automationFields,
    componentId: textOrNull('Id of the workflow or plan to start'),
    gbac: Gbac.optional().describe('Groups that may see and change the automation, by id'),
    createdBy: textOrNull('Id of the account that stored the automation'),
    lastUpdatedBy: textOrNull('Id of the account that last changed the automation'),
  })
  .meta({
    id: 'Automation',
    description: 'A workflow or plan that can be started, with access list and triggers.',
  });
export type Automation = z.infer<typeof Automation>;

/** A group in the access list of an export: its id, or the names that find it elsewhere (contract/lifecycle#6.1). */
const NamedGroup = z.union([
  z.string(),
  z.looseObject({
    name: text('Name of the group'),
    provenance: text('Directory of the group', 'local'),
    description: text('Purpose of the group'),
  }),
]);

/** Access list of an export (contract/lifecycle#6.1). */
export const ExportedGbac = z
  .looseObject({
    read: z.array(NamedGroup).optional().describe('Groups that may see the document, by id or by name'),
    write: z.array(NamedGroup).optional().describe('Groups that may change the document, by id or by name'),
  })
  .meta({
    id: 'ExportedGbac',
    description: 'Group-based access list with the names of groups, so that another system finds them.',
  });
export type ExportedGbac = z.infer<typeof ExportedGbac>;

/** An automation with its triggers: the format of exports and imports (contract/lifecycle#6.1). */
export const ExportedAutomation = z
  .looseObject({
    _id: ObjectId.optional().describe('Id of the automation; an import keeps it when it is free'),
    ...automationFields,
    componentId: textOrNull('Id of the workflow or plan; exports omit it and name the component instead'),
    gbac: ExportedGbac.optional().describe('Groups that may see and change the automation'),
    createdBy: Author.optional().describe('Author of the automation'),
    lastUpdatedBy: Author.optional().describe('Last editor of the automation'),
    triggers: z.array(ImportedTrigger).optional().describe('Triggers of the automation'),
  })
  .meta({
    id: 'ExportedAutomation',
    description: 'An automation with its triggers, as exported and imported.',
  });
export type ExportedAutomation = z.infer<typeof ExportedAutomation>;
