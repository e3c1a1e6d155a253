import { sql } from 'drizzle-orm';
import { readable } from '#db/document-kinds/readable.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { exportWorkflow, importWorkflow } from '#server/domains/workflow/index.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { jsonDocuments, jsonFile, jsonFileOf } from './named-documents.service.ts';
import { assertPath, parsed } from './parse.ts';
import { portable } from './portable.ts';

const FOLDER = 'workflows';

/** Global workflows, one file for each; those of projects are in the files of these. */
export const WORKFLOWS: GitKindRules = {
  kind: 'workflows',
  folder: FOLDER,
  reads: { permission: 'WorkflowBuilder.exportWorkflow', roles: WORKFLOW_READ },
  writes: { permission: 'WorkflowBuilder.importWorkflow', roles: STUDIO_WRITE },
  mainFile: jsonFileOf,
  list: (ctx, name) =>
    jsonDocuments(
      ctx,
      {
        folder: FOLDER,
        table: workflows,
        authorField: 'last_updated_by',
        where: allOf(sql`project_id is null`, readable('workflow', ctx.principal)),
        read: async (id) => portable(await exportWorkflow(ctx, { _id: id })),
      },
      name,
    ),
  store: async (ctx, path, files) => {
    const workflow = parsed(Workflow, files.get(path)) as Parameters<typeof importWorkflow>[1];
    assertPath(path, jsonFile(FOLDER, workflow.name));
    await importWorkflow(ctx, workflow, true);
    return workflow.name;
  },
};
