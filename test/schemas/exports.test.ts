import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ExportedProject } from '#db/schemas/assets/project.ts';
import { TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const folder = ['../../../shared/data/exports', '../../../../shared/data/exports']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

const filesOf = (kind: string) =>
  folder && existsSync(`${folder}/${kind}`)
    ? readdirSync(`${folder}/${kind}`).map((file) => ({
        file,
        text: readFileSync(`${folder}/${kind}/${file}`, 'utf8'),
      }))
    : [];

/** A second reading of the text to compare with, so that a schema that changes its input is found out. */
const staysAsItIs = (schema: z.ZodType, text: string) =>
  expect(schema.parse(JSON.parse(text))).toEqual(JSON.parse(text));

if (!folder) {
  console.warn('real exports: absent (looked for ../shared/data/exports)');
  test.skip('no real exports lie beside this checkout: only invented documents were parsed', () => undefined);
}

describe.runIf(folder)('real exports come back as they were', () => {
  test('there are some of each kind', () => {
    for (const kind of ['golden', 'automations', 'projects']) expect(filesOf(kind).length).toBeGreaterThan(0);
  });

  test.each(filesOf('golden'))('golden tree $file', ({ text }) => staysAsItIs(TreeImport, text));

  test.each(filesOf('automations'))('automation $file', ({ text }) => staysAsItIs(ExportedAutomation, text));

  test.each(filesOf('projects'))('project $file', ({ text }) => staysAsItIs(ExportedProject, text));

  test.each(filesOf('projects'))('workflows and command templates of $file', ({ text }) => {
    const { components = [] } = ExportedProject.parse(JSON.parse(text));
    for (const { type, document } of components) {
      if (type === 'workflow') staysAsItIs(Workflow, JSON.stringify(document));
      if (type === 'mopCommandTemplate') staysAsItIs(CommandTemplate, JSON.stringify(document));
    }
  });
});
