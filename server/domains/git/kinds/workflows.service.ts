import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { exportWorkflow, importWorkflow } from '#server/domains/workflow/index.ts';
import { STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { named } from './named.service.ts';
import { assertPath, parsed } from './parse.ts';
import { fileNameOf } from './paths.ts';
import { portable, textOf } from './portable.ts';

const FOLDER = 'workflows';
const pathOf = (name: string) => `${FOLDER}/${fileNameOf(name)}.json`;

/** Global workflows, one file for each; those of projects are in the files of these. */
export const WORKFLOWS: GitKindRules = {
  kind: 'workflows',
  folder: FOLDER,
  reads: { permission: 'WorkflowBuilder.exportWorkflow', roles: WORKFLOW_READ },
  writes: { permission: 'WorkflowBuilder.importWorkflow', roles: STUDIO_WRITE },
  mainFile: (path) => (path.endsWith('.json') ? path : null),
  list: async (ctx, name) => {
    const found = await rows<{ id: string; name: string; author: string | null }>(
      ctx.db,
      sql`select id, name, doc ->> 'last_updated_by' as author from ${workflows}
          where ${named(name)} and project_id is null and ${readable('workflow', ctx.principal) ?? sql`true`} order by name`,
    );
    return found.map(({ id, name, author }) => ({
      path: pathOf(name),
      name,
      author,
      read: async () => {
        const workflow = await exportWorkflow(ctx, { _id: id });
        return new Map([[pathOf(name), textOf(portable(workflow))]]);
      },
    }));
  },
  store: async (ctx, path, files) => {
    const workflow = parsed(Workflow, files.get(path)) as Parameters<typeof importWorkflow>[1];
    assertPath(path, pathOf(workflow.name));
    await importWorkflow(ctx, workflow, true);
    return workflow.name;
  },
};
