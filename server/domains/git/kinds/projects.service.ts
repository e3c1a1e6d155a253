import { readable } from '#db/document-kinds/readable.ts';
import { ProjectFile } from '#db/schemas/requests/project-file.ts';
import { projects } from '#db/tables/assets/assets.ts';
import { exportProject, importProject } from '#server/domains/studio/index.ts';
import { STUDIO_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { jsonDocuments, jsonFile, jsonFileOf } from './named-documents.service.ts';
import { assertPath, parsed } from './parse.ts';
import { portableProject } from './portable.ts';

const FOLDER = 'projects';

/** Projects with the documents of their components, one file for each; without members. */
export const PROJECTS: GitKindRules = {
  kind: 'projects',
  folder: FOLDER,
  reads: { permission: 'AutomationStudio.exportProject', roles: STUDIO_READ },
  writes: { permission: 'AutomationStudio.importProject', roles: STUDIO_WRITE },
  mainFile: jsonFileOf,
  list: (ctx, name) =>
    jsonDocuments(
      ctx,
      {
        folder: FOLDER,
        table: projects,
        where: readable('project', ctx.principal),
        read: async (id) => portableProject((await exportProject(ctx, id)) as Record<string, unknown>),
      },
      name,
    ),
  store: async (ctx, path, files) => {
    const project = parsed(ProjectFile, files.get(path));
    const name = String(project.name);
    assertPath(path, jsonFile(FOLDER, name));
    await importProject(ctx, { project, conflictMode: 'overwrite' });
    return name;
  },
};
