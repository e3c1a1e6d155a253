import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { analyticTemplates, commandTemplates } from '#db/tables/assets/assets.ts';
import { exportTemplate, importTemplate, updateTemplate } from '#server/domains/network/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { CONFIG_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules, LocalDocument } from './kind.ts';
import { jsonDocuments, jsonFile, jsonFileOf } from './named-documents.service.ts';
import { assertPath, parsed } from './parse.ts';
import { portable } from './portable.ts';

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

/** Returns the id of a global template, by its name. */
async function globalId({ db }: WriteContext, type: Type, name: string): Promise<string | undefined> {
  const [found] = await rows<{ id: string }>(
    db,
    sql`select id from ${TYPES[type].table} where name = ${name} and project_id is null`,
  );
  return found?.id;
}

const listType = (ctx: WriteContext, type: Type, name?: string): Promise<LocalDocument[]> => {
  const { table, kind, folder } = TYPES[type];
  const where = allOf(sql`project_id is null`, readable(kind, ctx.principal));
  const read = async (id: string) => {
    const text = await exportTemplate(ctx, type, { _id: id });
    return portable(text.parse() as Record<string, unknown>, '_id');
  };
  return jsonDocuments(ctx, { folder, table, where, read }, name);
};

/** Global command templates and analytic templates, one file for each. */
export const COMMAND_TEMPLATES: GitKindRules = {
  kind: 'commandTemplates',
  folder: FOLDER,
  reads: { permission: 'Mop.exportTemplate', roles: CONFIG_READ },
  writes: { permission: 'Mop.importTemplate', roles: STUDIO_WRITE },
  mainFile: jsonFileOf,
  list: async (ctx, name) => [
    ...(await listType(ctx, 'templates', name)),
    ...(await listType(ctx, 'analytics', name)),
  ],
  store: async (ctx, path, files) => {
    const type: Type = path.startsWith(`${TYPES.analytics.folder}/`) ? 'analytics' : 'templates';
    const { kind, schema } = TYPES[type];
    const template = parsed(schema, files.get(path)) as Parameters<typeof importTemplate>[2];
    assertPath(path, jsonFile(TYPES[type].folder, template.name));
    const id = await globalId(ctx, type, template.name);
    if (id === undefined) await importTemplate(ctx, type, template);
    else await updateTemplate(ctx, kind, id, template, ['template']);
    return template.name;
  },
};
