import { rows } from '#db/client.ts';
import type { GitKind, GitRemote } from '#db/schemas/git/remote.ts';
import { sql } from '#db/statement.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';
import { isStorable } from '#server/kernel/validation/input-sanity.ts';
import type { GitRepository } from '#server/southbound/git/ports.ts';
import type { LocalDocument } from '../kinds/kind.ts';
import { KIND_RULES } from '../kinds/kinds.ts';
import type { Sides } from './compare.ts';
import { blobId, documentHash } from './hash.service.ts';
import type { Outcome } from './outcome.ts';

/** Most documents of one run. */
const MOST_DOCUMENTS = 20_000;

/** A document with what both sides have of it. */
export type Surveyed = {
  kind: GitKind;
  /** Its main file, below the folder of the remote. */
  path: string;
  name: string;
  local: LocalDocument | undefined;
  /** Its files in the repository: ids by the path below the folder of the remote. */
  remote: ReadonlyMap<string, string>;
  /** Whether all of them can be read. */
  isReadable: boolean;
  sides: Sides;
};

/**
 * Returns every document of the kinds of a remote, here and in the repository.
 *
 * @param outcome gets an issue for each entry of the repository that is not read: links, submodules, files that are too large
 * @throws ServiceError UNPROCESSABLE_CONTENT for more than 20,000 documents; GitFailed
 */
export async function survey(
  ctx: WriteContext,
  remote: GitRemote,
  repository: GitRepository,
  outcome: Pick<Outcome, 'issue'>,
): Promise<Surveyed[]> {
  const bases = await readBases(ctx, remote._id);
  const surveyed: Surveyed[] = [];
  for (const kind of remote.kinds) {
    const { documents: there, unreadable } = await remoteDocuments(
      repository,
      kind,
      remote.path ?? '',
      outcome,
    );
    const here = new Map((await KIND_RULES[kind].list(ctx)).map((one) => [one.path, one]));
    const paths = new Set([...here.keys(), ...there.keys()]);
    for (const path of bases.keys()) if (path.startsWith(`${KIND_RULES[kind].folder}/`)) paths.add(path);
    if (surveyed.length + paths.size > MOST_DOCUMENTS)
      throw new ServiceError('UNPROCESSABLE_CONTENT', `a run handles at most ${MOST_DOCUMENTS} documents`);
    for (const path of [...paths].sort()) {
      const local = here.get(path);
      const files = there.get(path) ?? new Map<string, string>();
      const sides: Sides = {
        local: local ? await localHash(local) : missingHere(ctx, bases.get(path)),
        remote: files.size > 0 ? documentHash(files) : null,
        base: bases.get(path) ?? null,
      };
      const isReadable = !unreadable.has(path);
      surveyed.push({
        kind,
        path,
        name: local?.name ?? nameIn(path),
        local,
        remote: files,
        isReadable,
        sides,
      });
    }
  }
  return surveyed;
}

/**
 * Returns what is here of a document that is not listed: nothing for an admin, who may read all. To another account it may
 * be hidden, which is no deletion: it counts as unchanged.
 */
const missingHere = ({ principal }: WriteContext, base: Sides['base'] | undefined): string | null =>
  principal.roles.includes('admin') ? null : (base?.local ?? null);

/** Returns the hash of a document as it is here. */
export async function localHash(local: LocalDocument): Promise<string> {
  const files = await local.read();
  return documentHash(new Map([...files].map(([path, text]) => [path, blobId(text)])));
}

const nameIn = (path: string): string => {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.(json|cfg)$/, '');
  const name = percentDecoded(file, file);
  // The repository may hold any name, and the report of the run is stored.
  return isStorable(name) ? name : file;
};

async function remoteDocuments(
  repository: GitRepository,
  kind: GitKind,
  folder: string,
  outcome: Pick<Outcome, 'issue'>,
) {
  const prefix = folder === '' ? '' : `${folder}/`;
  const { folder: own, mainFile } = KIND_RULES[kind];
  const documents = new Map<string, Map<string, string>>();
  const { files, rejected } = await repository.list(`${prefix}${own}`);
  const unreadable = new Set<string>();
  for (const { path, reason } of rejected) {
    const below = path.slice(prefix.length);
    outcome.issue(below, reason);
    unreadable.add(mainFile(below) ?? below);
  }
  // A file that is not read exists all the same: a push must not replace it without being asked.
  for (const { path, id } of [...files, ...rejected]) {
    const below = path.slice(prefix.length);
    const main = mainFile(below);
    if (main === null) continue;
    const known = documents.get(main);
    if (known) known.set(below, id);
    else documents.set(main, new Map([[below, id]]));
  }
  return { documents, unreadable };
}

async function readBases({ db }: WriteContext, remoteId: string) {
  const found = await rows<{ path: string; local: string; remote: string }>(
    db,
    sql`select path, local, remote from git_documents where remote_id = ${remoteId}`,
  );
  return new Map(found.map(({ path, local, remote }) => [path, { local, remote }]));
}

/**
 * Records that both sides of documents are the same now; null: neither side has it any more.
 *
 * @param settled documents by the path of their main file, each with the hashes of both sides
 */
export async function settle(
  { db }: Pick<ReadContext, 'db'>,
  remoteId: string,
  settled: readonly { path: string; local: string | null; remote: string | null }[],
): Promise<void> {
  const gone = settled.filter(({ local, remote }) => local === null || remote === null);
  const kept = settled.filter(({ local, remote }) => local !== null && remote !== null);
  await rows(
    db,
    sql`delete from git_documents where remote_id = ${remoteId} and path in (
          select jsonb_array_elements_text(${JSON.stringify(gone.map(({ path }) => path))}::text::jsonb))`,
  );
  await rows(
    db,
    sql`insert into git_documents (remote_id, path, local, remote)
        select ${remoteId}, d ->> 'path', d ->> 'local', d ->> 'remote'
        from jsonb_array_elements(${JSON.stringify(kept)}::text::jsonb) d
        on conflict (remote_id, path) do update set local = excluded.local, remote = excluded.remote`,
  );
}
