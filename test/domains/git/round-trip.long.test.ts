import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import type { GitKind } from '#db/schemas/git/remote.ts';
import { KIND_RULES } from '#server/domains/git/kinds/kinds.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { realExports } from '../../helpers/documents/exported-projects.ts';
import { exportedWorkflows } from '../../helpers/documents/exported-workflows.ts';
import { openService } from '../../helpers/service.ts';
import { workflowOf } from '../../helpers/workflows.ts';

/** Two platforms: documents of the first one are stored in the second one as files of a repository. */
const [here, there] = [await openService(), await openService()];
type Service = typeof here;

const contextOf = async ({ db, platform, callerWith }: Service): Promise<WriteContext> => ({
  db,
  platform,
  principal: (await callerWith('admin')).caller,
  request: { ifMatch: null },
  answer: { headers: {} },
});

/** Returns the files of the documents of a kind, by the main file of each. */
async function filesOf(service: Service, kind: GitKind) {
  const documents = new Map<string, Record<string, string>>();
  for (const { path, read } of await KIND_RULES[kind].list(await contextOf(service))) {
    documents.set(path, Object.fromEntries(await read()));
  }
  return documents;
}

/** Stores files in the other platform, and expects it to write the very same files. */
async function expectSame(kind: GitKind, least: number) {
  const files = await filesOf(here, kind);
  expect(files.size).toBeGreaterThanOrEqual(least);
  const ctx = await contextOf(there);
  const known = await filesOf(there, kind);
  for (const [path, texts] of files) {
    if (JSON.stringify(known.get(path)) === JSON.stringify(texts)) continue;
    await inTransaction(there.db, (db) =>
      KIND_RULES[kind].store({ ...ctx, db }, path, new Map(Object.entries(texts))),
    );
  }
  const stored = await filesOf(there, kind);
  for (const [path, texts] of files) expect(stored.get(path), path).toEqual(texts);
  expect(stored.size).toBe(files.size);
}

const golden = ['../../../../shared/data/exports/golden', '../../../../../shared/data/exports/golden']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

/** Names with what is unusual in paths, each once in a run. */
const names = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom('a', 'B', '9', ' ', '.', '-', '_', '/', '%', 'ä', '…', '~'),
      minLength: 1,
      maxLength: 30,
    }),
    fc.uuid(),
  )
  .map(([text, id]) => `${text.trim()}x ${id}`);
const lines = fc.array(fc.stringMatching(/^[a-z][a-z0-9 .-]{0,40}[a-z0-9]$/), {
  minLength: 1,
  maxLength: 12,
});

test('backups of any text and remarks come back as they were', async () => {
  const { configurationManager } = await here.as('admin');
  await fc.assert(
    fc.asyncProperty(
      names,
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.string({ maxLength: 80 }),
      async (name, text, notes) => {
        const rawConfig = text.replaceAll('\0', '');
        await configurationManager.importBackups({
          backups: [
            {
              name,
              rawConfig: `hostname x\r\n${rawConfig}`,
              notes: notes.replaceAll('\0', ''),
              date: '2026-02-03T04:05:06.789Z',
            },
          ],
        });
        await expectSame('deviceBackups', 1);
      },
    ),
    { numRuns: 25 },
  );
});

test('golden trees of any rules come back as they were', async () => {
  const { configurationManager } = await here.as('admin');
  await fc.assert(
    fc.asyncProperty(names, lines, lines, async (name, template, section) => {
      const { id } = await configurationManager.createTree({ name, deviceType: 'cisco-ios' });
      await configurationManager.setNodeConfig({
        treeId: id,
        treeVersion: 'initial',
        nodePath: 'base',
        data: {
          template: `${[...new Set(template)].join('\n')}\n`,
          variables: { site: name },
          sections: { 'arista-eos': { template: `${[...new Set(section)].join('\n')}\n` } },
        },
        updateVariables: true,
      } as never);
      await expectSame('goldenTrees', 1);
    }),
    { numRuns: 15 },
  );
});

test('command templates and workflows come back as they were', async () => {
  const { mop, automationStudio } = await here.as('admin');
  await fc.assert(
    fc.asyncProperty(names, lines, fc.boolean(), async (name, commands, passRule) => {
      await mop.createTemplate({
        mop: {
          name: name.replaceAll('/', '-'),
          os: 'cisco-ios',
          passRule,
          ignoreWarnings: !passRule,
          commands: commands.map((command) => ({
            command: `show ${command}`,
            passRule,
            rules: [{ rule: command, eval: 'contains', severity: 'error' }],
          })),
        },
      } as never);
      await automationStudio.createWorkflow({
        automation: { ...workflowOf(name, {}), description: commands.join('\n') },
      } as never);
      await expectSame('commandTemplates', 1);
      await expectSame('workflows', 1);
    }),
    { numRuns: 15 },
  );
});

test.skipIf(golden === undefined)(
  'real exports of golden trees, projects and workflows come back as they were',
  async () => {
    const { configurationManager, automationStudio } = await here.as('admin');
    for (const file of readdirSync(golden ?? '')) {
      const tree = JSON.parse(readFileSync(`${golden}/${file}`, 'utf8'));
      await configurationManager.importTrees({ trees: [tree] } as never);
    }
    await expectSame('goldenTrees', readdirSync(golden ?? '').length);
    for (const { project } of realExports()) {
      await automationStudio.importProject({ project, conflictMode: 'insert-new' } as never);
    }
    await expectSame('projects', realExports().length);
    const seen = new Set<string>();
    for (const { workflow } of exportedWorkflows()) {
      const name = workflow.name.replace(/^@[0-9a-f]{24}: /, '');
      if (seen.has(name)) continue;
      seen.add(name);
      const { _id: _, ...plain } = workflow as typeof workflow & { _id?: string };
      await automationStudio
        .importWorkflows({ automations: [{ ...plain, name }] } as never)
        .catch((error: Error) => {
          throw new Error(`${name}: ${error.message}`, { cause: error });
        });
    }
    await expectSame('workflows', seen.size);
  },
  300_000,
);
