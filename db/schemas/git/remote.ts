import { z } from 'zod';
import { Name, ObjectId, Timestamp } from '../primitives.ts';
import { Schedule } from '../schedule.ts';

/** The kinds of documents that a repository can hold. */
export const GIT_KINDS = [
  'goldenTrees',
  'commandTemplates',
  'workflows',
  'projects',
  'deviceBackups',
] as const;
export type GitKind = (typeof GIT_KINDS)[number];

const Secret = (description: string) => z.string().max(16_384).nullable().optional().describe(description);

const Credential = z
  .strictObject({
    username: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Of HTTPS: the account of the token; absent: git'),
    token: Secret('Of HTTPS: the token or password'),
    privateKey: Secret('Of SSH: the private key, not encrypted'),
  })
  .describe('How the repository is opened: a token for HTTPS, a key for SSH');

const settings = {
  enabled: z.boolean().optional().describe('False: it is neither pushed nor pulled. Absent: true'),
  path: z
    .string()
    .max(500)
    .optional()
    .meta({
      description: 'Folder of the repository that holds the documents; absent: its top',
      examples: ['lab'],
    }),
  credential: Credential.optional(),
  schedule: Schedule.nullish().meta({
    description: 'When runs start by themselves; absent or null: never',
    examples: [{ everyMinutes: 60 }],
  }),
  scheduledAction: z
    .enum(['push', 'pull'])
    .optional()
    .describe('What scheduled runs do; absent: push, or pull where the direction is pull'),
  hostKeys: z
    .array(z.string().min(1).max(2000))
    .max(10)
    .optional()
    .describe(
      'Of SSH: the host keys that are trusted, `<type> <key>` as `ssh-keyscan` prints them after the host',
    ),
  ca: z
    .string()
    .max(100_000)
    .nullish()
    .describe(
      'Of HTTPS: certificates of the authorities that are trusted, as PEM text; absent or null: those of the system',
    ),
};

const Url = z
  .string()
  .min(1)
  .max(2000)
  .meta({
    description: 'The repository: https://host/path, ssh://user@host/path or user@host:path',
    examples: ['https://git.example.net/network/config.git'],
  });
const Branch = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'The branch that is pushed to and pulled from', examples: ['main'] });
const Kinds = z.array(z.enum(GIT_KINDS)).min(1).max(5).describe('The kinds of documents');
const Direction = z.enum(['push', 'pull', 'both']).describe('What the remote is used for');

/** A remote as a caller sends it. */
export const GitRemoteInput = z
  .strictObject({
    name: Name.describe('Name of the remote, unique'),
    url: Url,
    branch: Branch,
    kinds: Kinds,
    direction: Direction,
    ...settings,
  })
  .meta({
    id: 'GitRemoteInput',
    description: 'A Git repository that documents are pushed to or pulled from.',
  });
export type GitRemoteInput = z.infer<typeof GitRemoteInput>;

/** Changes of a remote: fields that are absent stay as they are. */
export const GitRemoteUpdates = z
  .strictObject({
    name: Name.optional().describe('New name of the remote'),
    url: Url.optional(),
    branch: Branch.optional(),
    kinds: Kinds.optional(),
    direction: Direction.optional(),
    ...settings,
  })
  .meta({ id: 'GitRemoteUpdates', description: 'Changes of a remote.', examples: [{ enabled: false }] });
export type GitRemoteUpdates = z.infer<typeof GitRemoteUpdates>;

/** A remote as stored: secrets are masked, and sealed beside it. */
export const GitRemote = GitRemoteInput.extend({
  _id: ObjectId.describe('Id of the remote'),
  runAs: ObjectId.describe(
    'Account whose rights count when it is pushed or pulled: the one that last wrote it',
  ),
  created: Timestamp,
  createdBy: z.string().describe('Id of the account that created it'),
  nextRunAt: z
    .number()
    .nullish()
    .describe('When the schedule starts the next run, in milliseconds since 1970; null: never'),
  lastResult: z
    .string()
    .optional()
    .describe('Why the schedule started no run the last time; empty when it did'),
  lastUpdated: Timestamp,
  lastUpdatedBy: z.string().describe('Id of the account that changed it last'),
}).meta({ id: 'GitRemote', description: 'A Git repository, as stored.' });
export type GitRemote = z.infer<typeof GitRemote>;
