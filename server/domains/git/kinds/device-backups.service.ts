import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { BackupItem } from '#db/schemas/golden-config/backup.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import { getBackup, importBackups } from '#server/domains/golden-config/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { invalid } from '#server/kernel/errors.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { named } from './named-documents.service.ts';
import { assertPath, parsed } from './parse.ts';
import { fileNameOf } from './paths.ts';
import { portable, textOf } from './portable.ts';

const FOLDER = 'device-backups';
const pathOf = (name: string) => `${FOLDER}/${fileNameOf(name)}.cfg`;
const metadataPath = (path: string) => path.replace(/\.cfg$/, '.json');

/** The remarks about a configuration, beside its text. */
const Metadata = BackupItem.omit({ id: true, _id: true, rawConfig: true });

/** Returns when the newest backup of a device was read, in milliseconds since 1970; 0 without one. */
async function newestDate({ db }: WriteContext, name: string): Promise<number> {
  const [found] = await rows<{ date: string | null }>(
    db,
    sql`select max(date)::text as date from ${backups} where name = ${name}`,
  );
  return found?.date ? Date.parse(found.date) : 0;
}

/** The newest backup of each device: the configuration as text, and the remarks about it. */
export const DEVICE_BACKUPS: GitKindRules = {
  kind: 'deviceBackups',
  folder: FOLDER,
  reads: { permission: 'ConfigurationManager.getBackup', roles: CONFIG_READ },
  writes: { permission: 'ConfigurationManager.importBackups', roles: CONFIG_WRITE },
  mainFile: (path) => (/\.(cfg|json)$/.test(path) ? path.replace(/\.json$/, '.cfg') : null),
  list: async (ctx, name) => {
    const found = await rows<{ id: string; name: string }>(
      ctx.db,
      sql`select distinct on (name) id, name from ${backups}
          where ${named(name)} and ${mayRead(backups, ctx.principal) ?? sql`true`} order by name, date desc, id desc`,
    );
    return found.map(({ id, name }) => ({
      path: pathOf(name),
      name,
      author: null,
      read: async () => {
        const { rawConfig, ...backup } = (await getBackup(ctx, id)).parse();
        const metadata = portable(backup, 'id', '_id', 'sha256', 'size', 'lastSeen');
        return new Map([
          [pathOf(name), rawConfig],
          [metadataPath(pathOf(name)), textOf(metadata)],
        ]);
      },
    }));
  },
  store: async (ctx, path, files) => {
    const metadata = parsed(Metadata, files.get(metadataPath(path)));
    assertPath(path, pathOf(metadata.name));
    const newest = await newestDate(ctx, metadata.name);
    const { date, ...rest } = metadata;
    // A text that was edited in the repository is a new backup: its date must be later than that of the newest one.
    const isLater = date !== undefined && Date.parse(date) > newest;
    const rawConfig = files.get(path);
    // Remarks whose configuration was deleted alone must not store an empty one.
    if (rawConfig === undefined) throw invalid([], `the file ${path} is missing`);
    await importBackups(ctx, [{ ...rest, ...(isLater && { date }), rawConfig } as BackupItem]);
    return metadata.name;
  },
};
