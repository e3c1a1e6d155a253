import { eq, type SQL } from 'drizzle-orm';
import { acquireLock, type Database } from '#db/client.ts';
import { insert, remove, replace } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Profile, type ProfileEntry } from '#db/schemas/operations/profile.ts';
import { profiles } from '#db/tables/operations/platform.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { core, pageWithMetadata } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { conflict, forbidden, invalid, invalidRequest, ServiceError } from '#server/kernel/errors.ts';
import { canonical } from '#server/kernel/json/canonical.ts';

import type { Principal } from '#server/kernel/platform.ts';
import {
  ambiguousIssues,
  isSecretField,
  keepSecrets,
  type Path,
  PROFILE_PLACEHOLDERS,
  redact,
} from '#server/kernel/secrets/redact.ts';
import { type RowOfSecrets, sealingFor, withFreshSeals } from '#server/kernel/secrets/seals.ts';
import { areasOf } from '../applications/applications.ts';
import { governingOf, type StoredProfile } from '../applications/governing.ts';
import { assertSomeAdmin } from './lockout.service.ts';
import { defaultSections } from './profile-defaults.ts';
import { isProfileId, type ProfileChange, profileIssues } from './profile-rules.ts';

type ProfileRow = Awaited<ReturnType<typeof readRows>>[number];

const resource = defineResource({
  name: 'profiles',
  schema: Profile,
  source: 'given',
  defaultSort: [{ field: 'id', order: 1 }],
  unlimited: true,
});

/**
 * Returns the profiles that match, with placeholders for secrets (contract/lifecycle#10). The query runs on the redacted
 * documents, so that no filter can reveal a secret; fields that are secret are rejected by name.
 */
export async function listProfiles(
  { db, platform }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>,
  options: Readonly<Record<string, unknown>>,
) {
  const query = readList(resource, options, { hidden: isSecretField });
  const found = await readRows(db);
  const entries = new Map(found.map((row) => [row.id, entryOf(platform, row)]));
  const given = [...entries.values()].map(({ profile }) => profile);
  const page = await list(db, resource, query, { given });
  const metadataOf = ({ id }: StoredProfile) => entries.get(id)?.metadata;
  return core<ProfileEntry>(pageWithMetadata(page, 'profile', metadataOf));
}

/**
 * Returns one profile, with its ETag in the headers (contract/endpoints#4.20).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getProfile(
  { db, platform, answer }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>,
  id: string,
): Promise<ProfileEntry> {
  const [row] = await readRows(db, eq(profiles.id, id));
  if (!row) throw new ServiceError('NOT_FOUND', 'Profile not found.');
  answer.headers.ETag = `"${row.stamp}"`;
  return entryOf(platform, row);
}

/**
 * Creates an inactive profile; missing sections get their defaults (contract/lifecycle#10).
 *
 * @throws ServiceError BAD_REQUEST for unusable values, CONFLICT when the id is taken
 */
export async function createProfile(
  { db, platform, principal }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>,
  sent: Profile,
) {
  const { id } = sent;
  if (!isProfileId(id)) {
    throw invalid(
      ['properties', 'id'],
      'must have 1 to 255 characters, without slashes and without white space at its ends; import is reserved',
    );
  }
  await lockProfiles(db);
  const [taken] = await readRows(db, eq(profiles.id, id));
  if (taken) throw conflict(`${id} already exists!`);
  const { document, unset } = sealedSections(platform, id, sent, undefined);
  const profile = { ...newSections(platform), ...document, id };
  assertMaySetAdmins(principal, undefined, profile);
  await insert(db, profiles, id, profile);
  return {
    status: 'Created' as const,
    message: messageWith(`Successfully created ${id}.`, { unset }),
    data: shown(profile),
  };
}

/**
 * Replaces the sections of the request; the others remain (contract/lifecycle#10).
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for another id, unusable values, or placeholders whose secret is ambiguous;
 *   CONFLICT when it changed meanwhile or no admin would remain
 */
export async function updateProfile(
  { db, platform, principal, request }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>,
  id: string,
  sent: ProfileChange,
) {
  await lockProfiles(db);
  const row = await getRow(db, id);
  assertUnchanged(request.ifMatch, row.stamp, `Profile ${id}`, conflictDetails(shown(row.doc), sent));
  if (sent.id !== undefined && sent.id !== id) {
    throw invalid(['properties', 'id'], `is ${id} and cannot be changed`);
  }
  const { document, unset } = sealedSections(platform, id, sent, row.doc);
  const profile = withFreshSeals(platform.vault, rowOf(id), { ...row.doc, ...document, id });
  assertMaySetAdmins(principal, row.doc, profile);
  if (row.active) await assertSomeAdmin(db, governingOf(profile).admins);
  await replace(db, profiles, row, profile);
  const later = row.active ? platform.profileAtNextStart(profile) : [];
  return {
    status: 'OK' as const,
    message: messageWith(`Successfully updated ${id}.`, { unset, later }),
    data: shown(profile),
  };
}

/** Deletes a profile. @throws ServiceError NOT_FOUND; CONFLICT for the active profile, or one that changed meanwhile */
export async function deleteProfile(
  { db, request }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>,
  id: string,
) {
  await lockProfiles(db);
  const row = await getRow(db, id);
  assertUnchanged(request.ifMatch, row.stamp, `Profile ${id}`);
  if (row.active) throw conflict(`${id} is the active profile: activate another profile first`);
  await remove(db, profiles, [id]);
  return { status: 'OK' as const, message: `Successfully deleted ${id}.` };
}

/**
 * Activates this profile, and deactivates all others (contract/lifecycle#10).
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when it changed meanwhile, or no admin would remain
 */
export async function activateProfile(
  { db, platform, principal, request }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>,
  id: string,
) {
  await lockProfiles(db);
  const row = await getRow(db, id);
  assertUnchanged(request.ifMatch, row.stamp, `Profile ${id}`);
  if (!row.active) {
    const [active] = await readRows(db, eq(profiles.active, true));
    assertMaySetAdmins(principal, active?.doc, row.doc);
    await assertSomeAdmin(db, governingOf(row.doc).admins);
    if (active) await replace(db, profiles, active, active.doc, { active: false });
    await replace(db, profiles, row, row.doc, { active: true });
  }
  const later = platform.profileAtNextStart(row.doc);
  return { status: 'OK' as const, message: messageWith(`${id} is the active profile.`, { later }) };
}

/**
 * Denies a change of `authenticationProps.admins` to a caller who has only the single permission to write profiles: the
 * list makes accounts admins.
 *
 * @param before the profile that is replaced; undefined when it is new
 * @throws ServiceError FORBIDDEN
 */
function assertMaySetAdmins(
  { roles }: Pick<Principal, 'roles'>,
  before: StoredProfile | undefined,
  after: StoredProfile,
): void {
  if (roles.includes('admin')) return;
  if (canonical(governingOf(before).admins) === canonical(governingOf(after).admins)) return;
  throw forbidden('authenticationProps.admins can only be changed with the role admin');
}

/** Locks all profiles across processes: concurrent activations must not leave two active profiles, or none. */
async function lockProfiles(tx: Database) {
  await acquireLock(tx, 'switchyard profiles');
}

async function getRow(db: Database, id: string): Promise<ProfileRow> {
  const [row] = await readRows(db, eq(profiles.id, id));
  if (row) return row;
  throw new ServiceError('NOT_FOUND', `Profile: ${id.slice(0, 100)} does not exist!`);
}

async function readRows(db: Database, where?: SQL) {
  const { id, doc, rev, active } = profiles;
  return db.select({ id, doc, rev, active, stamp: STAMP }).from(profiles).where(where).orderBy(id);
}

/** Returns the key of a profile's row. */
const rowOf = (id: string): RowOfSecrets => ['profiles', id];

/** Returns the sent sections with sealed secrets, ready to be stored, and the secrets that are still unset. */
function sealedSections(
  { vault }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>['platform'],
  id: string,
  sent: ProfileChange,
  stored: StoredProfile | undefined,
) {
  const { document, unset, ambiguous } = keepSecrets(sent, stored, sealingFor(vault, rowOf(id)));
  const issues = [...profileIssues(sent), ...ambiguousIssues(ambiguous)];
  if (issues.length > 0)
    throw invalidRequest(issues.map(({ path, ...rest }) => ({ path: ['properties', ...path], ...rest })));
  return { document, unset };
}

const newSections = ({
  catalogue,
  config,
}: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>['platform']) =>
  defaultSections({
    services: [...areasOf(catalogue).map(({ name }) => name), 'local_aaa'],
    port: config.port,
  });

function entryOf(
  { profileAtNextStart }: WriteContext<'catalogue' | 'config' | 'profileAtNextStart'>['platform'],
  { doc, active }: ProfileRow,
): ProfileEntry {
  return {
    metadata: { isActive: active, activeSync: active && profileAtNextStart(doc).length === 0 },
    profile: shown(doc),
  };
}

/** Schemas define secrets as text, as their placeholders are, so the result is still a profile. */
const shown = (doc: StoredProfile): Profile => redact(doc, PROFILE_PLACEHOLDERS);

/** Returns the message of a response: the sentence that clients look for, then additional information. */
function messageWith(done: string, { unset = [], later = [] }: { unset?: Path[]; later?: string[] }): string {
  const sentences = [done];
  if (unset.length > 0)
    sentences.push(`Secrets still to be set: ${unset.map((at) => at.join('.')).join(', ')}.`);
  if (later.length > 0) sentences.push(`Effective after the next start: ${later.join(', ')}.`);
  return sentences.join(' ');
}
