import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';

const here = dirname(fileURLToPath(import.meta.url));
const folder = ['../../../../shared/data/exports', '../../../../../shared/data/exports']
  .map((path) => join(here, path, 'projects'))
  .find(existsSync);

/** A workflow of an exported project, under the project's name; `transformations` are its neighbours there. */
export type Exported = { title: string; workflow: Workflow; transformations: Map<string, object> };

type Component = { type: string; document: Record<string, unknown> & { _id?: string } };

/** The workflows of the real exports beside the repository; none, and a word on the console, where they are absent. */
export function exportedWorkflows(): Exported[] {
  if (!folder) {
    console.warn('real workflows: absent (looked for ../shared/data/exports/projects); nothing was compared');
    return [];
  }
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const read = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>;
      const project = (read.project ?? read) as { name: string; components: Component[] };
      const transformations = new Map(
        project.components
          .filter(({ type }) => type === 'transformation')
          .map(({ document }) => [String(document._id), document]),
      );
      return project.components
        .filter(({ type }) => type === 'workflow')
        .map(({ document }) => {
          // The export says what its components are.
          const workflow = document as unknown as Workflow;
          return { title: `${project.name}: ${workflow.name}`, workflow, transformations };
        });
    });
}
