import type { LdapSettings, SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import type { LdapCondition, LdapConnection, LdapEntry } from '#server/southbound/ldap/ports.ts';
import { type DirectoryUser, MOST_GROUPS } from './directory-user.ts';
import { providerFailed } from './provider-contacts.service.ts';

/** Matches members of groups at any depth, in Active Directory (LDAP_MATCHING_RULE_IN_CHAIN). */
const IN_CHAIN = '1.2.840.113556.1.4.1941';
/** How deep groups within groups are searched, and how many of them one search asks for. */
const MOST_LEVELS = 20;
const AT_ONCE = 100;

/** The settings of a directory with what is usual where they say nothing. */
function settingsOf({ ldap }: SignInProvider) {
  if (!ldap) throw new Error('the provider is of another type');
  const { usernameAttribute = 'uid', subjectAttribute = 'entryUUID', nested = 'search' } = ldap;
  const { displayNameAttribute = 'cn', emailAttribute = 'mail', memberAttribute = 'member' } = ldap;
  const { groupNameAttribute = 'cn', groupBase = ldap.userBase } = ldap;
  return {
    ...ldap,
    usernameAttribute,
    subjectAttribute,
    nested,
    displayNameAttribute,
    emailAttribute,
    memberAttribute,
    groupNameAttribute,
    groupBase,
  };
}

type Settings = ReturnType<typeof settingsOf> & LdapSettings;

/**
 * Returns the user of a directory with this name and password.
 *
 * @param mayVerify called once the directory has the user; false: another directory checks the password
 * @returns undefined when the directory has no such user, or may not check the password; null when it does not accept it
 * @throws ServiceError with `reason`
 */
export async function proveLdapUser(
  { platform }: Uses<'ldap'>,
  provider: SignInProvider,
  { username, password }: { username: string; password: string },
  mayVerify: () => Promise<boolean>,
): Promise<DirectoryUser | null | undefined> {
  const settings = settingsOf(provider);
  return connect(platform, provider, async (connection) => {
    const entry = await findUser(connection, provider, settings, {
      equals: [settings.usernameAttribute, username],
    });
    if (!entry || !(await mayVerify())) return undefined;
    if (!(await connection.verify(entry.dn, password))) return null;
    return userOf(connection, settings, entry);
  });
}

/**
 * Returns the user of a directory with this subject, as it is now.
 *
 * @returns null when the directory no longer has it
 * @throws ServiceError with `reason`
 */
export async function findLdapUser(
  { platform }: Uses<'ldap'>,
  provider: SignInProvider,
  subject: string,
): Promise<DirectoryUser | null> {
  const settings = settingsOf(provider);
  const value = isBinary(settings.subjectAttribute) ? Buffer.from(subject, 'hex') : subject;
  return connect(platform, provider, async (connection) => {
    const entry = await findUser(connection, provider, settings, {
      equals: [settings.subjectAttribute, value],
    });
    return entry ? userOf(connection, settings, entry) : null;
  });
}

/** Tries the connection, the bind, and a search for users. @throws ServiceError with `reason` */
export const tryLdap = ({ platform }: Uses<'ldap'>, provider: SignInProvider): Promise<void> => {
  const settings = settingsOf(provider);
  return connect(platform, provider, async (connection) => {
    await connection.search({
      base: settings.userBase,
      scope: 'base',
      where: { text: '(objectClass=*)' },
      attributes: ['objectClass'],
      most: 1,
    });
  });
};

const connect = <Value>(
  platform: Uses<'ldap'>['platform'],
  provider: SignInProvider,
  work: (connection: LdapConnection) => Promise<Value>,
): Promise<Value> => {
  const { url, ca, serverName, bindDn, bindPassword } = settingsOf(provider);
  const target = {
    name: provider.name,
    url,
    ca,
    serverName,
    bindDn,
    bindPassword: bindPassword ?? undefined,
  };
  return platform.ldap.connect(target, work);
};

/** Bits of userAccountControl in Active Directory: the account is disabled. */
const DISABLED = 0x2;

async function findUser(
  connection: LdapConnection,
  provider: SignInProvider,
  settings: Settings,
  where: LdapCondition,
): Promise<LdapEntry | undefined> {
  const { userBase, userFilter, usernameAttribute, subjectAttribute } = settings;
  const [found, ...others] = await connection.search({
    base: userBase,
    scope: 'sub',
    where: userFilter === undefined ? where : { and: [where, { text: userFilter }] },
    attributes: [
      usernameAttribute,
      subjectAttribute,
      settings.displayNameAttribute,
      settings.emailAttribute,
      'userAccountControl',
      'primaryGroupID',
      'objectSid',
    ],
    most: 10,
  });
  if (others.length > 0)
    throw providerFailed(
      'USER_AMBIGUOUS',
      `${provider.name}: several entries have the same ${usernameAttribute}`,
    );
  const control = Number(found?.values('userAccountControl')[0] ?? 0);
  return found && (control & DISABLED) === 0 ? found : undefined;
}

const isBinary = (attribute: string) => /^objectguid$/i.test(attribute);

async function userOf(
  connection: LdapConnection,
  settings: Settings,
  entry: LdapEntry,
): Promise<DirectoryUser> {
  const first = (attribute: string) => entry.values(attribute)[0] ?? '';
  const { subjectAttribute } = settings;
  const subject = isBinary(subjectAttribute)
    ? (entry.bytes(subjectAttribute)?.toString('hex') ?? '')
    : first(subjectAttribute);
  if (subject === '')
    throw providerFailed(
      'SUBJECT_MISSING',
      `the entry of the user has no ${subjectAttribute}: set subjectAttribute`,
    );
  return {
    subject,
    username: first(settings.usernameAttribute),
    firstname: first(settings.displayNameAttribute),
    email: first(settings.emailAttribute),
    groups: await groupsOf(connection, settings, entry),
  };
}

/**
 * Returns the identifier of the primary group of a user of Active Directory, which does not list the user as a member: that of
 * the user, whose last part is the number of the group instead (MS-DTYP 2.4.2).
 *
 * @returns null for an entry without a primary group
 */
function primaryGroupOf(entry: LdapEntry): Buffer | null {
  const sid = entry.bytes('objectSid');
  const number = Number(entry.values('primaryGroupID')[0]);
  if (!sid || sid.length < 12 || !Number.isInteger(number) || number < 0 || number > 0xffff_ffff) return null;
  const group = Buffer.from(sid);
  group.writeUInt32LE(number, sid.length - 4);
  return group;
}

/** Returns names and distinguished names of the groups of an entry, those of groups within groups included. */
async function groupsOf(connection: LdapConnection, settings: Settings, entry: LdapEntry): Promise<string[]> {
  const { memberAttribute, groupNameAttribute, groupBase, nested } = settings;
  const found = new Map<string, string[]>();
  const search = async (where: LdapCondition) => {
    const entries = await connection.search({
      base: groupBase,
      scope: 'sub',
      where,
      attributes: [groupNameAttribute],
      most: MOST_GROUPS,
    });
    const fresh = entries.filter((entry) => !found.has(entry.dn.toLowerCase()));
    for (const entry of fresh)
      found.set(entry.dn.toLowerCase(), [entry.dn, ...entry.values(groupNameAttribute)]);
    return fresh.map((entry) => entry.dn);
  };
  const sid = primaryGroupOf(entry);
  const primary = sid ? await search({ equals: ['objectSid', sid] }) : [];
  if (nested === 'matching_rule') {
    for (const dn of [entry.dn, ...primary]) await search({ rule: IN_CHAIN, equals: [memberAttribute, dn] });
  } else {
    let level = [...primary, ...(await search({ equals: [memberAttribute, entry.dn] }))];
    for (let depth = 1; nested === 'search' && level.length > 0 && depth < MOST_LEVELS; depth += 1) {
      const next: string[] = [];
      for (let at = 0; at < level.length; at += AT_ONCE) {
        const members = level.slice(at, at + AT_ONCE);
        next.push(
          ...(await search({ or: members.map((member) => ({ equals: [memberAttribute, member] })) })),
        );
      }
      level = next;
      if (found.size > MOST_GROUPS) break;
    }
  }
  return [...found.values()].flat().slice(0, MOST_GROUPS);
}
