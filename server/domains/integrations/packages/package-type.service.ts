import type { Database } from '#db/client.ts';
import type { AdapterPackage } from '#db/schemas/integrations/adapter-package.ts';
import { type AdapterType, movedBy, unchangedSecrets } from '#server/domains/network/index.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
import { type Check, compileSchema, SchemaError } from '#server/kernel/validation/json-schema.ts';
import { newConnection } from './connection-defaults.ts';
import { findPackage } from './packages.service.ts';

/** Returns the type of the adapters of a package. @param name of the type, or of the package @returns undefined for another */
export async function findPackageType(db: Database, name: string): Promise<AdapterType | undefined> {
  const found = await findPackage(db, name);
  return found && packageType(found);
}

const packageType = ({ type, package: id, title, schema, secrets, digest }: AdapterPackage): AdapterType => ({
  virtual: false,
  model: id,
  isModel: (model) => model === id || model === type,
  description: `Tasks of ${title}`,
  connectionSchema: schema,
  secretPaths: secrets,
  newConnection: (connection) => newConnection(schema, connection),
  connectionIssues: (connection, targetFault) => [
    ...schemaIssues(digest, schema, connection, secrets),
    ...hostIssues(connection, targetFault),
  ],
  movedSecrets: (before, after) => {
    const moved = movedBy(before, after, PLACE);
    return moved.length === 0 ? [] : unchangedSecrets(before, after).map((path) => ({ path, moved }));
  },
});

/** Fields that decide where a package sends secrets, and whether they are encrypted. */
const PLACE: readonly (readonly string[])[] = [
  ...[['host'], ['port'], ['protocol'], ['base_path'], ['allowHosts'], ['ssl', 'enabled']],
  ...[
    ['ssl', 'accept_invalid_cert'],
    ['proxy', 'enabled'],
    ['proxy', 'host'],
    ['proxy', 'port'],
  ],
  ...[
    ['authentication', 'sso', 'host'],
    ['authentication', 'sso', 'port'],
    ['authentication', 'sso', 'protocol'],
  ],
];

/** Compiled schemas by digest of the package: compiling one takes longer than a request should. */
const compiled = new Map<string, Check>();
const MOST_COMPILED = 100;

function schemaIssues(
  digest: string,
  schema: JsonObject,
  connection: JsonObject,
  secrets: AdapterPackage['secrets'],
): Issue[] {
  let check = compiled.get(digest);
  if (!check) {
    try {
      check = compileSchema(schema);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      // The operator was warned when the package was added: its connections are not checked.
      check = () => [];
    }
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(digest, check);
  }
  // A mask replaces a secret that was checked when it was sent.
  const isSecret = (path: Issue['path']) => secrets.some((secret) => secret.join('.') === path.join('.'));
  return check(connection).filter(({ path }) => !isSecret(path));
}

function hostIssues({ host }: JsonObject, targetFault: (host: string) => string | null): Issue[] {
  if (typeof host !== 'string' || host === '') return [];
  const fault = targetFault(host);
  return fault === null ? [] : [{ path: ['host'], message: fault, code: 'custom' }];
}
