import { z } from 'zod';
import { flag, texts } from '../fields.ts';
import { Name, ObjectId, Timestamp } from '../primitives.ts';

const Beginning = z.string().min(1).max(500);

/** The commands that holders of some roles may send to devices of some kinds (docs/devices.md). */
export const CommandPolicy = z
  .looseObject({
    _id: ObjectId.optional().describe('Id of the policy'),
    name: Name.meta({ description: 'Name of the policy, unique', examples: ['operators read'] }),
    roles: texts('Roles to which it applies; absent or empty: all', ['apiwrite']),
    device_types: texts('Device types to which it applies; absent or empty: all', ['cisco_ios']),
    allow: z
      .array(Beginning)
      .optional()
      .meta({
        description: 'Prefixes of allowed commands, compared word by word; absent or empty: all',
        examples: [['show', 'ping', 'display']],
      }),
    deny: z
      .array(Beginning)
      .optional()
      .meta({
        description: 'Prefixes of denied commands; they override allow',
        examples: [['show tech']],
      }),
    operators: flag('True: allowed commands may use redirection and operators such as ; and &'),
    created: Timestamp.optional().describe('When the policy was stored'),
    lastUpdated: Timestamp.optional().describe('When it was last changed'),
  })
  .meta({ id: 'CommandPolicy', description: 'Which commands may be sent to devices, and by whom.' });
export type CommandPolicy = z.infer<typeof CommandPolicy>;
