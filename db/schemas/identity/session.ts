import { z } from 'zod';
import { ObjectId, Timestamp } from '../primitives.ts';

/** A session as shown to its owner. */
export const Session = z
  .looseObject({
    _id: ObjectId.describe('Id of the session; the token cannot be derived from it'),
    address: z.string().meta({ description: 'Network address of the sign-in', examples: ['192.0.2.77'] }),
    userAgent: z.string().describe('User agent of the client, at most 256 characters'),
    created: Timestamp.describe('Start of the session'),
    lastUsed: Timestamp.describe('When it was last used, to within 2 % of the idle time'),
    expires: Timestamp.describe('When it ends at the latest; idleness may end it sooner'),
    current: z.boolean().describe('True for the session of this request'),
  })
  .meta({ id: 'Session', description: 'A session of the caller.' });

/** A personal token as shown in lists. */
export const PersonalToken = z
  .looseObject({
    _id: ObjectId.describe('Id of the token'),
    name: z.string().describe('Purpose of the token'),
    created: Timestamp.describe('When it was created'),
    expires: Timestamp.describe('When it expires'),
    lastUsed: Timestamp.nullable().describe('When it was last used, to the minute; null: never'),
    roles: z.array(z.string()).meta({
      description: 'Names of the roles of the token, as far as the account has them',
      examples: [['apiread']],
    }),
    readOnly: z.boolean().describe('True: it may only read'),
  })
  .meta({ id: 'PersonalToken', description: 'A token that an account created for its programs.' });

/** A personal token with its owner. */
export const OwnedToken = PersonalToken.extend({
  account: z.string().describe('Name of the account that created it'),
  accountId: ObjectId.describe('Id of that account'),
}).meta({ id: 'OwnedToken', description: 'A personal token with its owner.' });
