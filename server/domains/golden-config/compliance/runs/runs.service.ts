import { isDeepStrictEqual } from 'node:util';
import { and, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { find } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { CheckedConfiguration, Report } from '#db/schemas/golden-config/compliance-report.ts';
import type { Node, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import type { ConfigurationCheck, NodeOfTree, RunOptions } from '#db/schemas/requests/compliance-run.ts';
import { backups, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import { withoutConfigurationSecrets, withSelection } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { forbidden, notFound, unprocessable } from '#server/kernel/errors.ts';
import { type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { platformsOf } from '../../devices/devices.service.ts';
import { devicesOfGroups, groupsOfDevices } from '../../devices/group-members.service.ts';
import { isSamePlatform } from '../../devices/platforms.ts';
import { parserSourceFor, parserSourceNamed, parserSourcesFor } from '../../parsers/readers.service.ts';
import type { TemplateNote } from '../../rule-sources/derive.ts';
import { assertMayWriteRules, givenVariables } from '../../rules/rule-writers.ts';
import { lineSeed, templateIssues } from '../../specs/derivation.ts';
import { deriveInTime } from '../../trees/derivations.service.ts';
import { locateNode } from '../../trees/nodes.service.ts';
import { type LocatedNode, walk } from '../../trees/tree-nodes.ts';
import { versionMissing, visibleVersion } from '../../trees/versions.service.ts';
import { checkForRequest } from '../grading/checkers.service.ts';
import type { ProgramSource } from '../grading/program-source.ts';
import {
  notApplicable,
  type Rules,
  rulesAt,
  rulesForPlatform,
  rulesWithDraft,
} from '../grading/programs.service.ts';
import type { DraftTemplate } from '../grading/rule-sources.service.ts';
import type { NewReport } from '../reports/new-report.ts';
import { failureOf, reportOf, type Subject } from '../reports/report-of.ts';
import { startBatch } from './batch-work.service.ts';
import { type Placement, placedDevices, targetsOf } from './run-targets.ts';

/** The response to starting a run, which continues after the response (contract/lifecycle#4.8). */
export type RunStarted = { status: 202; message: string; batchId: string };

const started = (batchId: string): RunStarted => ({
  status: 202,
  message: `compliance batch ${batchId} started`,
  batchId,
});

/**
 * Starts a run over the devices of a node (contract/lifecycle#4.8): its own and those of its device groups, unless the
 * request names devices.
 *
 * @throws ServiceError NOT_FOUND for tree, version or node, UNPROCESSABLE_CONTENT when its device type has no parser, FORBIDDEN
 *   as `assertMayWriteRules`
 */
export async function startRun(
  ctx: ReadContext<'now' | 'durable'>,
  { devices, selection, variables, children, ...where }: RunOptions,
): Promise<RunStarted> {
  assertMayWriteRules(ctx.principal, givenVariables(variables));
  const { version, node } = await nodeToRun(ctx, where);
  const below = children ? nodesFrom(version, node.path) : [node];
  const assigned = await devicesOn(
    ctx,
    below.map((one) => one.node),
  );
  const wanted = placedDevices(assigned, selection ? await withSelection(ctx, devices, selection) : devices);
  const placements = below.map(
    ({ path }, at): Placement => ({
      place: { treeId: where.treeId, version: where.version, nodePath: path, variables },
      devices: wanted[at] ?? [],
    }),
  );
  const used = placements.filter((one, at) => at === 0 || one.devices.length > 0);
  const { batchId } = await startBatch(
    ctx,
    used.map(({ place }) => place),
    targetsOf(used),
  );
  return started(batchId);
}

/**
 * Starts a run over backups (contract/lifecycle#4.8): each gets a report under the name of its device.
 *
 * @throws ServiceError NOT_FOUND for tree, version, node or a backup, UNPROCESSABLE_CONTENT as `startRun`
 */
export async function startBackupRun(
  ctx: ReadContext<'now' | 'durable'>,
  where: NodeOfTree,
  backupIds: readonly string[],
): Promise<RunStarted> {
  const { node } = await nodeToRun(ctx, where);
  const found = await ctx.db
    .select({ id: backups.id, name: backups.name })
    .from(backups)
    .where(and(isOneOf(backups.id, [...new Set(backupIds)]), mayRead(backups, ctx.principal)))
    .orderBy(backups.name, sql`${backups.date} nulls first`, backups.id);
  const known = new Set(found.map(({ id }) => id));
  const absent = backupIds.find((id) => !known.has(id));
  if (absent !== undefined) throw notFound('Backup', absent);
  const { batchId } = await startBatch(
    ctx,
    [{ ...where, nodePath: node.path }],
    found.map(({ id, name }) => ({ device: name, places: [0], backup: id })),
  );
  return started(batchId);
}

/**
 * Checks a configuration that the caller sends, synchronously; nothing is stored (contract/lifecycle#4.8).
 *
 * @returns a report without a batch; one with status `error` when the rules cannot be compiled. With a template, it has
 *   `warnings` about likely mistakes in it
 * @throws ServiceError NOT_FOUND, UNPROCESSABLE_CONTENT as `startRun`; BAD_REQUEST with line and column of every fault in
 *   the template; TOO_MANY_REQUESTS when too many checks wait
 */
export async function checkConfiguration(
  ctx: ReadContext<'now'>,
  { deviceName, configuration, template, platform, ...where }: ConfigurationCheck,
): Promise<CheckedConfiguration> {
  const { version, node } = await nodeToRun(ctx, where);
  const place = { ...where, nodePath: node.path };
  if (template === undefined) {
    const [rules] = await rulesAt(ctx.db, [place]);
    return check(ctx, place, deviceName, configuration, rules);
  }
  const { draft, warnings } = await draftOf(ctx, version, node, { template, platform });
  const rules = await rulesWithDraft(ctx.db, place, draft);
  return { ...(await check(ctx, place, deviceName, configuration, rules, true)), warnings };
}

/** Returns a template as a draft of the spec of a node, once it is known to be correct. */
async function draftOf(
  ctx: ReadContext,
  { deviceType, variables }: TreeVersion,
  { node, path }: LocatedNode,
  { template, platform }: { template: string; platform: string | undefined },
): Promise<{ draft: DraftTemplate; warnings: TemplateNote[] }> {
  const spec = await find(ctx.db, specs, node.attributes?.configId ?? '');
  const isOfTree = platform === undefined || isSamePlatform(platform, deviceType);
  const source = isOfTree
    ? await parserSourceFor(ctx.db, deviceType)
    : await parserSourceNamed(ctx, platform, ['options', 'platform']);
  if (!spec || !source) throw notFound('Config spec of node', path);
  const { doc } = spec;
  const written = isOfTree
    ? { ...doc, template }
    : { _id: lineSeed(doc._id, platform), template, ruleSet: doc.sections?.[platform]?.ruleSet };
  const { issues, warnings } = await deriveInTime({ spec: written, variables, source });
  assertNone(templateIssues(issues, ['options', 'template']));
  const draft = { specId: doc._id, template };
  return { draft: isOfTree ? draft : { ...draft, section: { name: platform, parser: source } }, warnings };
}

async function check(
  ctx: ReadContext<'now'>,
  place: NodeOfTree,
  deviceName: string,
  configuration: string,
  placedRules: Rules | undefined,
  isDraft = false,
): Promise<Report> {
  const subject: Subject = {
    id: newId(),
    batchId: null,
    place,
    device: deviceName,
    timestamp: ctx.platform.now(),
  };
  if (!placedRules || 'error' in placedRules)
    return shown(failureOf(subject, placedRules?.error ?? 'its node is unknown'));
  const platform = isDraft ? undefined : (await platformsOf(ctx, [deviceName])).get(deviceName);
  const rules = rulesForPlatform(placedRules, platform);
  if (!rules)
    return shown(failureOf(subject, notApplicable(deviceName, platform ?? '', placedRules), 'notApplicable'));
  if ('error' in rules) return shown(failureOf(subject, rules.error));
  const groups = rules.readsDevice
    ? await groupsOfDevices(ctx.db, [deviceName])
    : new Map<string, string[]>();
  const program = rules.programFor({ name: deviceName, groups: groups.get(deviceName) ?? [] });
  await assertNoSecretRules(ctx.principal, program);
  const [outcome] = await checkForRequest({ text: configuration, programs: [program.sha256] }, [program]);
  const checked = outcome ?? { status: 'error' as const, error: 'the check returned no result' };
  return shown(reportOf({ ...subject, rules, program }, checked));
}

/**
 * Denies checking a text of one's own with rules that hold secrets, to callers who read masks: the verdict would reveal
 * whether a guess is right.
 *
 * @throws ServiceError FORBIDDEN
 */
async function assertNoSecretRules(caller: Caller, program: ProgramSource): Promise<void> {
  if (seesConfigurationSecrets(caller)) return;
  const masked = await maskedAnswer({ specs: program.specs }, withoutConfigurationSecrets);
  if (isDeepStrictEqual(masked, { specs: program.specs })) return;
  throw forbidden(
    'The rules of this node hold secrets, which are masked for you: checking a text with them needs the permission ConfigurationManager.getBackupWithSecrets',
  );
}

/** Returns a report that is not stored in the format of stored ones. */
function shown({
  deviceName,
  findings,
  timestamp,
  error,
  variables,
  parseWarnings,
  totals,
  ...report
}: NewReport): Report {
  const { id, batchId, treeId, version, nodePath, deviceType, specId, inheritedSpecIds, status, evaluated } =
    report;
  const issues = findings && 'issues' in findings ? (JSON.parse(findings.issues) as Report['issues']) : [];
  return {
    id,
    _id: id,
    batchId,
    treeId,
    version,
    nodePath,
    deviceType,
    specId,
    inheritedSpecIds: [...inheritedSpecIds],
    deviceName,
    variables,
    timestamp: timestamp.toISOString(),
    totals,
    status,
    evaluated,
    parseWarnings,
    issues,
    ...(error !== undefined && { error }),
  };
}

/** Returns the node for a run, if its device type has a parser. */
async function nodeToRun(
  ctx: ReadContext,
  { treeId, version: name, nodePath }: NodeOfTree,
): Promise<{ version: TreeVersion; node: LocatedNode }> {
  const stored = await find(ctx.db, treeVersions, visibleVersion(ctx.principal, treeId, name));
  if (!stored) throw await versionMissing(ctx, treeId, name);
  const version = stored.doc;
  const node = locateNode(version.root, nodePath);
  const parsers = await parserSourcesFor(ctx.db, [version.deviceType]);
  if (!parsers.has(version.deviceType)) {
    throw unprocessable(`No parser is named ${version.deviceType}: tree ${version.name} cannot be checked`);
  }
  return { version, node };
}

/** Returns a node and all nodes below it, each with its path. */
const nodesFrom = ({ root }: TreeVersion, path: string): LocatedNode[] =>
  [...walk(root)].filter((one) => one.path === path || one.path.startsWith(`${path}/`));

/** Returns the devices of each node: its own, then those of its device groups. */
export async function devicesOn({ db, principal }: ReadContext, nodes: readonly Node[]): Promise<string[][]> {
  const groupsOf = ({ attributes }: Node) => (attributes?.deviceGroups ?? []).flatMap(({ id }) => id ?? []);
  const members = await devicesOfGroups({ db, principal }, [...new Set(nodes.flatMap(groupsOf))]);
  return nodes.map((node) => [
    ...new Set([
      ...(node.attributes?.devices ?? []),
      ...groupsOf(node).flatMap((id) => members.get(id) ?? []),
    ]),
  ]);
}
