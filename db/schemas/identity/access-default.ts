import { z } from 'zod';

/** Who may read trees, devices, device groups and backups that have no access list. */
export const AccessDefault = z
  .strictObject({
    unlisted: z
      .enum(['readers', 'administrators'])
      .describe(
        'Who may read trees, devices, device groups and backups without an access list: readers: everyone with a role that reads them; administrators: only the role admin',
      ),
    configurationSecrets: z
      .enum(['shown', 'masked'])
      .optional()
      .describe(
        'Absent: shown. masked: passwords, keys and communities in stored and current configurations are masked for everybody without the permission ConfigurationManager.getBackupWithSecrets',
      ),
  })
  .meta({
    id: 'AccessDefault',
    description: 'Who may read documents without an access list, and secrets in configurations.',
    examples: [{ unlisted: 'administrators', configurationSecrets: 'masked' }],
  });
export type AccessDefault = z.infer<typeof AccessDefault>;
