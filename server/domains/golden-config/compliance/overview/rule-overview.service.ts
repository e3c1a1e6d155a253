import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { isOneOf } from '#db/expressions.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { RuleFileRequest, RulesRequest } from '#db/schemas/golden-config/report-files.ts';
import { specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { containsText } from '#server/kernel/text/text-search.ts';
import { walk } from '../../trees/tree-nodes.ts';
import { newestOfDevices } from '../reports/report-filter.service.ts';
import { assertPart } from '../reports/summaries.service.ts';
import { withMasks } from './masked-lines.ts';
import { keyOfRule, type RuleLine, rulesOf, shownLine } from './rule-lines.ts';

/** Maximum number of failing devices that are named for one rule. */
const MOST_NAMED = 1000;

/** A rule with the devices that meet it and those that do not. */
export type RuleResult = Omit<RuleLine, 'key'> & {
  specId: string;
  nodePath: string | null;
  /** Config parser of the section that the rule is in; null: the rules for the platform of the tree. */
  section: string | null;
  devices: { pass: number; fail: number };
  failing: string[];
};

type Placed = RuleLine & Pick<RuleResult, 'specId' | 'nodePath' | 'section'>;

/**
 * Returns the rules of a tree with the devices that meet them, as of the newest report of each device; the most violated
 * first (contract/additions#4).
 *
 * @param request without a version: whichever version each device was checked against last
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function listRules(
  ctx: ReadContext,
  { start = 0, limit = 25, ...request }: RulesRequest,
): Promise<{ total: number; devices: number; rules: RuleResult[] }> {
  const { rules, devices } = await countedRules(ctx, request);
  const page = rules.slice(start, start + limit);
  const failing = await failingDevices(ctx, request, violated(page), MOST_NAMED);
  return {
    total: rules.length,
    devices,
    rules: page.map(({ key, ...one }) => ({ ...one, failing: failing.get(key) ?? [] })),
  };
}

/** A rule with the numbers of devices that meet and violate it. */
export type CountedRule = Placed & Pick<RuleResult, 'devices'>;

/** Returns the keys of those rules that a device violates. */
export const violated = (rules: readonly CountedRule[]): string[] =>
  rules.filter(({ devices }) => devices.fail > 0).map(({ key }) => key);

/**
 * Returns all rules of a tree with the numbers of devices that meet and violate them, the most violated first.
 *
 * @returns also the number of devices that were checked
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function countedRules(
  ctx: ReadContext,
  { treeId, version, text }: RuleFileRequest,
): Promise<{ rules: CountedRule[]; devices: number }> {
  await assertPart(ctx, { treeId, version });
  const newest = newestReports({ treeId, version });
  const [checked, failures, known] = await Promise.all([
    checkedAt(ctx.db, newest),
    failingByRule(ctx.db, newest),
    rulesOfTree(ctx.db, treeId, version),
  ]);
  const keys = new Set(known.map(({ key }) => key));
  const former = await formerRules(
    ctx.db,
    newest,
    [...failures.keys()].filter((key) => !keys.has(key)),
  );
  const devicesOf = countsByNode(checked, new Set(known.flatMap(({ section }) => section ?? [])));
  const wanted = text?.toLowerCase();
  const all = [...known, ...former];
  // A text that is looked for in secrets would confirm a guess of them.
  const rules = (wanted === undefined ? all : await withMasks(ctx, all))
    .filter(
      (one) =>
        wanted === undefined || containsText(`${one.parents.join('\n')}\n${one.rule}`.toLowerCase(), wanted),
    )
    .map((one) => {
      const fail = failures.get(one.key) ?? 0;
      return { ...one, devices: { pass: Math.max(0, devicesOf(one) - fail), fail } };
    })
    .sort((a, b) => b.devices.fail - a.devices.fail || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
  return { rules, devices: checked.reduce((sum, { count }) => sum + count, 0) };
}

/** The newest report of each device of a part of a tree, as a common table expression. */
const newestReports = (part: { treeId: string; version?: string | undefined }): SQL =>
  sql`newest as materialized (
    select device, version, node_path, finding, device_type from ${newestOfDevices(part)} as newest)`;

type Checked = { nodePath: string; type: string | null; count: number };

const checkedAt = (db: Database, newest: SQL): Promise<Checked[]> =>
  rows<Checked>(
    db,
    sql`with ${newest} select node_path as "nodePath", device_type as type, count(*)::int as count
        from newest group by 1, 2`,
    false,
  );

/**
 * Returns a function that counts the devices that were checked with a section of a node, or below it.
 *
 * @param sections names of the sections of the tree; other devices were checked with the rules for its platform
 */
function countsByNode(
  checked: readonly Checked[],
  sections: ReadonlySet<string>,
): (rule: Pick<Placed, 'nodePath' | 'section'>) => number {
  const counts = new Map<string, number>();
  const keyOf = (path: string, section: string | null) => JSON.stringify([path, section]);
  for (const { nodePath, type, count } of checked) {
    const section = type !== null && sections.has(type) ? type : null;
    const names = nodePath.split('/');
    for (let depth = 1; depth <= names.length; depth += 1) {
      const key = keyOf(names.slice(0, depth).join('/'), section);
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  return ({ nodePath, section }) => counts.get(keyOf(nodePath ?? '', section)) ?? 0;
}

/** Returns the number of devices that violate each rule. Devices with the same findings are counted once before. */
async function failingByRule(db: Database, newest: SQL): Promise<Map<string, number>> {
  const found = await rows<{ rule: string; fail: number }>(
    db,
    sql`with ${newest}, used as (select finding, count(*) as devices from newest group by 1)
        select rule, sum(devices)::int as fail from used join compliance_finding on sha256 = finding
          cross join lateral unnest(rules) as each (rule) group by 1`,
    false,
  );
  return new Map(found.map(({ rule, fail }) => [rule, fail]));
}

/**
 * Returns the names of the devices that violate each of some rules and that the caller may read, by name.
 *
 * @param keys of the rules
 * @param most names of one rule
 */
export async function failingDevices(
  { db, principal }: ReadContext,
  { treeId, version }: { treeId: string; version?: string | undefined },
  keys: readonly string[],
  most: number,
): Promise<Map<string, string[]>> {
  if (keys.length === 0) return new Map();
  const visible = mayRead(deviceOrigins, principal);
  const readable = visible
    ? sql`and exists (select from ${deviceOrigins} where ${deviceOrigins.name} = device and ${visible})`
    : sql``;
  const found = await rows<{ rule: string; devices: string }>(
    db,
    sql`with ${newestReports({ treeId, version })}, violated as (
          select rule, device, row_number() over (partition by rule order by device) as place
          from newest join compliance_finding on sha256 = finding cross join lateral unnest(rules) as each (rule)
          where rule = any(${textArray(keys)}) ${readable})
        select rule, json_agg(device order by place)::text as devices from violated
        where place <= ${most} group by 1`,
    false,
  );
  return new Map(found.map(({ rule, devices }) => [rule, JSON.parse(devices) as string[]]));
}

/** Returns the rules of a version of a tree, or of all its versions. */
async function rulesOfTree(db: Database, treeId: string, version: string | undefined): Promise<Placed[]> {
  const versions = await findAll(
    db,
    treeVersions,
    sql`tree_id = ${treeId} and ${version === undefined ? sql`true` : sql`version = ${version}`}`,
  );
  const paths = new Map<string, string>();
  for (const { doc } of versions) {
    for (const { node, path } of walk(doc.root)) {
      if (node.attributes?.configId) paths.set(node.attributes.configId, path);
    }
  }
  const found = await findAll(db, specs, isOneOf(specs.id, [...paths.keys()]));
  return found.flatMap(({ id, doc }) => {
    const nodePath = paths.get(id) ?? null;
    const sections = Object.entries(doc.sections ?? {});
    return [
      [null, doc.lines] as const,
      ...sections.map(([name, { lines = [] }]) => [name, lines] as const),
    ].flatMap(([section, lines]) =>
      [...rulesOf(id, lines)].map((one) => ({ ...one, specId: id, nodePath, section })),
    );
  });
}

/** Returns rules that the newest reports violate and that the tree no longer has, as these reports show them. */
async function formerRules(db: Database, newest: SQL, keys: readonly string[]): Promise<Placed[]> {
  if (keys.length === 0) return [];
  const found = await rows<{ issue: string; nodePath: string | null }>(
    db,
    sql`with ${newest}, former as materialized (
          select distinct on (rule) rule, issues, specs from compliance_finding cross join lateral unnest(rules) as each (rule)
          where sha256 in (select finding from newest) and rule = any(${textArray(keys)}))
        select issue::text as issue, (select spec ->> 'nodePath' from jsonb_array_elements(specs) as spec
            where spec ->> 'specId' = issue ->> 'specId' limit 1) as "nodePath"
        from former cross join lateral (select issue from jsonb_array_elements(issues) as each (issue)
          where issue ->> 'specId' || ' ' || coalesce(issue -> 'spec' ->> 'id', '') = rule limit 1) as first`,
    false,
  );
  return found.map(({ issue, nodePath }) => {
    const { spec, specId, parents, severity } = JSON.parse(issue) as {
      spec: Line;
      specId: string;
      parents: string[];
      severity: RuleLine['severity'];
    };
    const rule = shownLine(spec);
    return { key: keyOfRule(specId, spec.id), rule, parents, severity, specId, nodePath, section: null };
  });
}
