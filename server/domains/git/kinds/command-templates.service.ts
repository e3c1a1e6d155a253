import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { analyticTemplates, commandTemplates } from '#db/tables/assets/assets.ts';
import { exportTemplate, importTemplate, updateTemplate } from '#server/domains/network/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { CONFIG_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules, LocalDocument } from './kind.ts';
import { named } from './named.service.ts';
import { assertPath, parsed } from './parse.ts';
import { fileNameOf } from './paths.ts';
import { portable, textOf } from './portable.ts';

const FOLDER = 'command-templates';
const TYPES = {
  templates: {
    kind: 'mopCommandTemplate',
    table: commandTemplates,
    schema: CommandTemplate,
    folder: `${FOLDER}/commands`,
  },
  analytics: {
    kind: 'mopAnalyticTemplate',
    table: analyticTemplates,
    schema: AnalyticTemplate,
    folder: `${FOLDER}/analytics`,
  },
} as const;
type Type = keyof typeof TYPES;

const pathOf = (type: Type, name: string) => `${TYPES[type].folder}/${fileNameOf(name)}.json`;

/** Returns the id of a global template, by its name. */
async function globalId({ db }: WriteContext, type: Type, name: string): Promise<string | undefined> {
  const [found] = await rows<{ id: string }>(
    db,
    sql`select id from ${TYPES[type].table} where name = ${name} and project_id is null`,
  );
  return found?.id;
}

async function listType(ctx: WriteContext, type: Type, name?: string): Promise<LocalDocument[]> {
  const { table, kind } = TYPES[type];
  const found = await rows<{ id: string; name: string; author: string | null }>(
    ctx.db,
    sql`select id, name, doc ->> 'lastUpdatedBy' as author from ${table}
        where ${named(name)} and project_id is null and ${readable(kind, ctx.principal) ?? sql`true`} order by name`,
  );
  return found.map(({ id, name, author }) => ({
    path: pathOf(type, name),
    name,
    author,
    read: async () => {
      const text = await exportTemplate(ctx, type, { _id: id });
      return new Map([
        [pathOf(type, name), textOf(portable(text.parse() as Record<string, unknown>, '_id'))],
      ]);
    },
  }));
}

/** Global command templates and analytic templates, one file for each. */
export const COMMAND_TEMPLATES: GitKindRules = {
  kind: 'commandTemplates',
  folder: FOLDER,
  reads: { permission: 'Mop.exportTemplate', roles: CONFIG_READ },
  writes: { permission: 'Mop.importTemplate', roles: STUDIO_WRITE },
  mainFile: (path) => (path.endsWith('.json') ? path : null),
  list: async (ctx, name) => [
    ...(await listType(ctx, 'templates', name)),
    ...(await listType(ctx, 'analytics', name)),
  ],
  store: async (ctx, path, files) => {
    const type: Type = path.startsWith(`${TYPES.analytics.folder}/`) ? 'analytics' : 'templates';
    const { kind, schema } = TYPES[type];
    const template = parsed(schema, files.get(path)) as Parameters<typeof importTemplate>[2];
    assertPath(path, pathOf(type, template.name));
    const id = await globalId(ctx, type, template.name);
    if (id === undefined) await importTemplate(ctx, type, template);
    else await updateTemplate(ctx, kind, id, template, ['template']);
    return template.name;
  },
};
