import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Line, Spec } from '#db/schemas/golden-config/config-spec.ts';
import type { ImportedTreeVersion, Node } from '#db/schemas/golden-config/golden-tree.ts';
import { dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { deriveLines } from '#server/domains/golden-config/rule-sources/derive.ts';
import { stableLineIds } from '#server/domains/golden-config/rule-sources/line-ids.ts';

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const folder = ['../../../../../shared/data/exports/golden', '../../../../../../shared/data/exports/golden']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

type Case = { place: string; spec: Spec; variables: Record<string, unknown>; deviceType: string };

function* nodesOf(version: ImportedTreeVersion): Generator<Case> {
  const { deviceType, variables = {} } = version;
  const open: { node: Node; path: string }[] = [{ node: version.root, path: version.root.name }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, path } = next;
    const spec = node.attributes?.export as Spec | undefined;
    if (spec?.template)
      yield { place: `${version.name} ${version.version} ${path}`, spec, variables, deviceType };
    for (const child of node.children ?? []) open.push({ node: child, path: `${path}/${child.name}` });
  }
}

const cases = folder
  ? readdirSync(folder).flatMap((file) => {
      const parsed = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
      return (parsed.data ?? [parsed]).flatMap((version: ImportedTreeVersion) => [...nodesOf(version)]);
    })
  : [];

/** Lines without ids, and with what older exports leave out. */
const said = (lines: readonly Line[]): unknown[] =>
  lines.map(({ words, evalMode, severity, ordering = 'none', fixMode, lines: below }) => ({
    words,
    evalMode,
    severity,
    ordering,
    fixMode,
    lines: said(below ?? []),
  }));

if (!folder) {
  console.warn('real exports: absent (looked for ../shared/data/exports/golden)');
  test.skip('no real exports lie beside this checkout: only invented trees were derived', () => undefined);
}

describe.runIf(folder)('real exports', () => {
  test.each(cases as Case[])(
    '$place has the lines that its template derives',
    ({ spec, variables, deviceType }) => {
      const dialect = dialectOf(deviceType);
      if (!dialect) throw new Error(`no dialect ${deviceType}`);
      const { lines, issues } = deriveLines(spec.template, variables, dialect, stableLineIds(spec._id));
      expect(issues).toEqual([]);
      // Lines derived with other variables than those of the export cannot be derived again.
      if (!/\{[{%]/.test(spec.template)) expect(said(lines)).toEqual(said(spec.lines));
    },
  );
});
