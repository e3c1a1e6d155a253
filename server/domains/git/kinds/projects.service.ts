import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { ProjectFile } from '#db/schemas/requests/project-file.ts';
import { projects } from '#db/tables/assets/assets.ts';
import { exportProject, importProject } from '#server/domains/studio/index.ts';
import { STUDIO_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { named } from './named.service.ts';
import { assertPath, parsed } from './parse.ts';
import { fileNameOf } from './paths.ts';
import { portableProject, textOf } from './portable.ts';

const FOLDER = 'projects';
const pathOf = (name: string) => `${FOLDER}/${fileNameOf(name)}.json`;

/** Projects with the documents of their components, one file for each; without members. */
export const PROJECTS: GitKindRules = {
  kind: 'projects',
  folder: FOLDER,
  reads: { permission: 'AutomationStudio.exportProject', roles: STUDIO_READ },
  writes: { permission: 'AutomationStudio.importProject', roles: STUDIO_WRITE },
  mainFile: (path) => (path.endsWith('.json') ? path : null),
  list: async (ctx, name) => {
    const found = await rows<{ id: string; name: string; author: string | null }>(
      ctx.db,
      sql`select id, name, doc ->> 'lastUpdatedBy' as author from ${projects}
          where ${named(name)} and ${readable('project', ctx.principal) ?? sql`true`} order by name`,
    );
    return found.map(({ id, name, author }) => ({
      path: pathOf(name),
      name,
      author,
      read: async () => {
        const project = (await exportProject(ctx, id)) as Record<string, unknown>;
        return new Map([[pathOf(name), textOf(portableProject(project))]]);
      },
    }));
  },
  store: async (ctx, path, files) => {
    const project = parsed(ProjectFile, files.get(path));
    const name = String(project.name);
    assertPath(path, pathOf(name));
    await importProject(ctx, { project, conflictMode: 'overwrite' });
    return name;
  },
};
