import { z } from 'zod';
import { Profile, ProfileEntry } from '#db/schemas/operations/profile.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import {
  activateProfile,
  createProfile,
  deleteProfile,
  getProfile,
  listProfiles,
  updateProfile,
} from '#server/domains/operations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';

const OneProfile = z.strictObject({ id: z.string().describe('Name of the profile') });

const NewProfile = z.strictObject({
  properties: Profile.describe('The profile; omitted sections have their defaults'),
});

const UpdateProfileRequest = OneProfile.extend({
  properties: Profile.partial().describe('Sections to replace; omitted sections are kept'),
});

const DoneMessage = z.object({
  status: z.literal('OK'),
  message: z.string().describe('What was done, and what takes effect only at the next start'),
});
const Created = z.object({
  status: z.literal('Created'),
  message: z.string().describe('What was done, and which secrets still have to be set'),
  data: Profile,
});

const PLACEHOLDERS =
  'Secrets are shown as `<PASSWORD>`, `<PASSPHRASE>` and `<ACCESS_TOKEN>`. Sending a placeholder back keeps the stored secret; null or "" clears it.';

export const profiles = router({
  getProfiles: allow(...ADMIN)
    .meta(rest('GET', '/profiles', 'List profiles', { description: PLACEHOLDERS }))
    .input(z.strictObject({ queryOptions: listQuery({}).optional() }))
    .output(answer(z.object({ results: z.array(ProfileEntry), total: z.int() })))
    .query(({ ctx, input }) => listProfiles(ctx, input.queryOptions ?? {})),

  getProfile: allow(...ADMIN)
    .meta(rest('GET', '/profiles/:id', 'Read a profile', { description: PLACEHOLDERS }))
    .input(OneProfile)
    .output(answer(ProfileEntry))
    .query(({ ctx, input }) => getProfile(ctx, input.id)),

  createProfile: allow(...ADMIN)
    .meta(rest('POST', '/profiles', 'Create a profile, which is not active yet'))
    .input(NewProfile)
    .output(answer(Created))
    .mutation(write(({ ctx, input }) => createProfile(ctx, input.properties))),

  importProfile: allow(...ADMIN)
    .meta(
      rest('POST', '/profiles/import', 'Import an exported profile', {
        description: 'Secrets sent as placeholders are not set, and are listed in the message.',
        bodyLimit: 'import',
      }),
    )
    .input(NewProfile.extend({ properties: imported(Profile).describe('The exported profile') }))
    .output(answer(Created))
    .mutation(write(({ ctx, input }) => createProfile(ctx, input.properties))),

  updateProfile: allow(...ADMIN)
    .meta(rest('PUT', '/profiles/:id', 'Replace sections of a profile', { description: PLACEHOLDERS }))
    .input(UpdateProfileRequest)
    .output(answer(DoneMessage.extend({ data: Profile })))
    .mutation(write(({ ctx, input }) => updateProfile(ctx, input.id, input.properties))),

  deleteProfile: allow(...ADMIN)
    .meta(rest('DELETE', '/profiles/:id', 'Delete a profile that is not active'))
    .input(OneProfile)
    .output(answer(DoneMessage))
    .mutation(write(({ ctx, input }) => deleteProfile(ctx, input.id))),

  activateProfile: allow(...ADMIN)
    .meta(rest('PUT', '/profiles/:id/active', 'Make this the active profile'))
    .input(OneProfile)
    .output(answer(DoneMessage))
    .mutation(write(({ ctx, input }) => activateProfile(ctx, input.id))),

  exportProfile: allow(...ADMIN)
    .meta(rest('GET', '/profiles/:id/export', 'Export a profile, without its secrets'))
    .input(OneProfile)
    .output(answer(ProfileEntry))
    .query(({ ctx, input }) => getProfile(ctx, input.id)),
});
