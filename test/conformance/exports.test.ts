import { describe, expect, test } from 'vitest';
import type { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { realExports, toldOf } from '../helpers/documents/exported-projects.ts';
import { isLong, sampled } from '../helpers/long.ts';
import { openService } from '../helpers/service.ts';

const files = realExports();
/** The short form tries some of them. */
const tried = sampled(files, 3);
const [one, other] = [await openService(), await openService()];

type Service = typeof one;
type Imported = { data: Project; metadata: { renamed: unknown[]; failedComponents: unknown[] } };

/** Holds the roles, but is no member of what the designer imports. */
const STRANGER = ['apiread', 'apiwrite'] as const;

type As = 'designer' | typeof STRANGER;

async function imported(
  service: Service,
  project: ExportedProject,
  options = {},
  as: As = 'designer',
): Promise<Imported> {
  const answer = await service.send(as, 'POST', '/automation-studio/projects/import', {
    project,
    ...options,
  });
  expect(answer.status, answer.text.slice(0, 2000)).toBe(200);
  return answer.json as Imported;
}

async function exported(service: Service, id: string, as: As = 'designer'): Promise<ExportedProject> {
  const answer = await service.send(as, 'GET', `/automation-studio/projects/${id}/export`);
  expect(answer.status, answer.text.slice(0, 2000)).toBe(200);
  return (answer.json as { data: ExportedProject }).data;
}

if (files.length === 0) {
  console.warn('conformance of project exports: absent (looked for ../shared/data/exports/projects)');
  test.skip('no real exports lie beside this checkout: none were imported', () => undefined);
}

describe.runIf(files.length > 0)('real project files', () => {
  test('the folder has ten project files', () => expect(files).toHaveLength(10));

  test.each(tried)(
    '$file is imported, exported, imported elsewhere and exported again',
    async ({ project }) => {
      const first = await imported(one, project);
      expect(first.metadata).toMatchObject({ renamed: [], failedComponents: [] });
      expect(first.data._id).toBe(project._id);
      const out = await exported(one, first.data._id);
      expect(toldOf(out)).toEqual(toldOf(project));

      const second = await imported(other, out);
      const again = await exported(other, second.data._id);
      expect(toldOf(again)).toEqual(toldOf(project));
      // Ids and stamps were free, and are kept to the letter.
      expect(again.components?.map(({ reference }) => reference)).toEqual(
        project.components?.map(({ reference }) => reference),
      );
      expect(again.created).toBe(project.created);
    },
  );

  test.skipIf(!isLong)(
    'a user who cannot see the first copies gets equal copies under other ids',
    async () => {
      for (const { project } of tried) {
        const copy = await imported(one, project, {}, STRANGER);
        expect(copy.data._id).not.toBe(project._id);
        expect(copy.metadata.renamed).toEqual([
          { type: 'project', from: project.name, to: `${project.name} (1)` },
        ]);
        const out = await exported(one, copy.data._id, STRANGER);
        const references = new Set(project.components?.map(({ reference }) => reference));
        for (const { reference } of out.components ?? []) expect(references).not.toContain(reference);
        expect(toldOf({ ...out, name: project.name })).toEqual(toldOf(project));
      }
    },
  );
});
