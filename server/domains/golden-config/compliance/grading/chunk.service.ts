import { and, eq, not, sql } from 'drizzle-orm';
import { type DocumentReader, mayRead } from '#db/access.ts';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { backups, rawConfigs } from '#db/tables/golden-config/configurations.ts';
import { complianceBatches, complianceBatchRules } from '#db/tables/golden-config/reports.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { AccountLookup } from '#server/kernel/access.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { callersIn } from '#server/kernel/principal.ts';
import { platformsOf } from '../../devices/devices.service.ts';
import type { NewReport } from '../reports/new-report.ts';
import { failureOf, type PreviousReport, reportAgain, reportOf, type Subject } from '../reports/report-of.ts';
import { storeReports } from '../reports/store-reports.service.ts';
import type { BatchRequest, Chunk } from '../runs/batch-work.service.ts';
import type { Target } from '../runs/run-targets.ts';
import type { CheckResult } from './check.ts';
import { checkAll } from './checkers.service.ts';
import type { CheckTask, ProgramSource } from './program-source.ts';
import {
  notApplicable,
  type PlacedRules,
  type Rules,
  rulesForPlatform,
  rulesFrom,
} from './programs.service.ts';
import type { RuleSources } from './rule-sources.service.ts';

/** Maximum number of characters of configurations in memory at once. */
const HELD = 10_000_000;

/** Maximum number of batches with cached rules: chunks of one batch follow each other. */
const REMEMBERED = 4;
const rememberedOf = perDatabase(() => new Map<string, readonly Rules[]>());

export type ChunkDependencies = {
  /** The pool. */
  db: Database;
  platform: { access: AccountLookup };
};

/**
 * Checks the devices of a chunk and stores their reports. Repeating it stores only what is missing: each device has one
 * report per batch and tree node (decision 0050). It uses the rules as of the batch's start, the current backups and the
 * current rights of the caller.
 *
 * @throws ServiceError FORBIDDEN when the account that started the batch does not exist any more or is inactive
 */
export async function checkChunk(
  { db, platform }: ChunkDependencies,
  { batchId, targets, atOnce }: Chunk,
): Promise<void> {
  const known = rememberedOf(db).get(batchId);
  const { id, request, started, status, cancel } = complianceBatches;
  const sources = sql<string | null>`${known ? sql`null` : complianceBatchRules.sources}`;
  const [batch] = await db
    .select({ request, started, sources })
    .from(complianceBatches)
    .leftJoin(complianceBatchRules, eq(complianceBatchRules.batchId, id))
    .where(and(eq(id, batchId), eq(status, 'running'), not(cancel)));
  if (!batch) return;
  const { places, ...stored } = batch.request as BatchRequest;
  const reader = await currentReader({ db, platform }, stored);
  const rules = known ?? readRules(db, batchId, batch.sources);
  const texts = await newestBackups(db, targets, reader);
  const platforms = await platformsOf(
    { db, principal: reader },
    targets.map(({ device }) => device),
  );
  const material = { targets, places, rules, texts, platforms };
  const subjects = subjectsOf(batchId, batch.started, material);
  const prepared = subjects.map((subject) => ({ ...subject, program: programOf(subject) }));
  const earlier = await earlierReports(db, prepared);
  await storeReports(db, await reportsOf(db, prepared, earlier, atOnce));
}

/** Returns the caller of a batch, to whom a document must be open by its rights at the start and by its current ones. */
async function currentReader(
  ctx: ChunkDependencies,
  { reader, accounts = [] }: Pick<BatchRequest, 'reader' | 'accounts'>,
): Promise<DocumentReader> {
  const callers = accounts.map((id) => activeCaller(ctx, id, 'for which the compliance run was started'));
  return { ...reader, sharedBy: [...callersIn(reader), ...(await Promise.all(callers))] };
}

/** Returns the rules of a batch in the order of its tree nodes; they never change. */
function readRules(db: Database, batchId: string, sources: string | null): readonly Rules[] {
  if (sources === null) throw new Error(`the rules of compliance batch ${batchId} do not exist`);
  return keepLatest(rememberedOf(db), REMEMBERED, batchId, rulesFrom(JSON.parse(sources) as RuleSources));
}

type ConfigText = { id: string; sha256: string; size: number };
type Prepared = Subject & {
  rules?: PlacedRules;
  groups?: readonly string[] | undefined;
  backup?: ConfigText | undefined;
  missing?: string | undefined;
  /** Whether `missing` says that the node has no rules for the platform of the device. */
  isOther?: boolean;
};

type Material = {
  targets: readonly Target[];
  places: BatchRequest['places'];
  rules: readonly Rules[];
  texts: ReadonlyMap<string, ConfigText>;
  /** The platform of each device according to the inventories, where known. */
  platforms: ReadonlyMap<string, string>;
};

/** Returns every device at each of its tree nodes, with the reason where it is already known that it cannot be checked. */
function subjectsOf(
  batchId: string,
  timestamp: Date,
  { targets, places, rules, texts, platforms }: Material,
): Prepared[] {
  return targets.flatMap(({ device, places: at, backup: backupId, groups }) => {
    const backup = texts.get(backupId ?? device);
    const ostype = platforms.get(device);
    const named = backupId !== undefined;
    const missing = backup ? undefined : missingBackup(device, backupId, ostype);
    return at.flatMap((number): Prepared[] => {
      const place = places[number];
      if (!place) return [];
      const base = { id: newId(), batchId, place, device, timestamp, backup, named, groups };
      return [{ ...base, ...rulesAt(rules[number], device, ostype, missing) }];
    });
  });
}

/** Returns why there is no text to check. */
const missingBackup = (device: string, backupId: string | undefined, ostype: string | undefined): string =>
  backupId !== undefined
    ? `backup ${backupId} does not exist`
    : `device ${device} has no backup${ostype === undefined ? ', and it is not in an inventory' : ''}`;

/** Returns the rules of a node that a device is checked with, and why it cannot be checked where that is so. */
function rulesAt(
  here: Rules | undefined,
  device: string,
  ostype: string | undefined,
  missing: string | undefined,
): Pick<Prepared, 'rules' | 'missing' | 'isOther'> {
  if (!here || 'error' in here) return { missing: here?.error ?? 'its node is unknown' };
  const fitting = rulesForPlatform(here, ostype);
  if (!fitting) return { rules: here, isOther: true, missing: notApplicable(device, ostype ?? '', here) };
  if ('error' in fitting) return { rules: here, missing: fitting.error };
  return { rules: fitting, missing };
}

/** Returns the newest backup of each device whose target names none, by device, and the named ones, by id. */
async function newestBackups(
  db: Database,
  targets: readonly Target[],
  reader: DocumentReader,
): Promise<Map<string, ConfigText>> {
  const may = mayRead(backups, reader) ?? sql`true`;
  const named = targets.flatMap(({ backup }) => backup ?? []);
  const devices = targets.filter(({ backup }) => backup === undefined).map(({ device }) => device);
  const found = await rows<ConfigText & { key: string }>(
    db,
    sql`select asked.name as key, newest.* from unnest(${textArray(devices)}) as asked (name)
          cross join lateral (select id, sha256, coalesce((doc ->> 'size')::int, 0) as size from ${backups}
            where ${backups.name} = asked.name and ${may}
            order by name, date desc nulls last, id desc nulls last limit 1) as newest
        union all
        select id, id, sha256, coalesce((doc ->> 'size')::int, 0) from ${backups}
          where id = any(${textArray(named)}) and ${may}`,
  );
  return new Map(found.map(({ key, ...text }) => [key, text]));
}

const programOf = ({ rules, device, groups = [] }: Prepared) => rules?.programFor({ name: device, groups });

/** Returns the latest reports of devices whose text and rules have not changed, by index of the subject. */
async function earlierReports(
  db: Database,
  subjects: readonly Prepared[],
): Promise<Map<number, PreviousReport>> {
  const of = (pick: (subject: Prepared) => string) => textArray(subjects.map(pick));
  const found = await rows<{
    n: string;
    finding: string;
    evaluated: number;
    warnings: string;
    counted: string;
  }>(
    db,
    sql`select n, r.finding, r.evaluated, r.parse_warnings::text as warnings,
          json_build_object('errors', r.errors, 'warnings', r.warnings, 'infos', r.infos, 'passes', r.passes)::text
            as counted
        from unnest(${of(({ place }) => place.treeId)}, ${of(({ place }) => place.version)},
            ${of(({ place }) => place.nodePath)}, ${of(({ device }) => device)},
            ${of(({ backup }) => backup?.sha256 ?? '')}, ${of(({ program }) => program?.sha256 ?? '')})
          with ordinality as asked (tree, version, path, device, config, program, n)
        join compliance_latest as latest on latest.tree_id = asked.tree and latest.version = asked.version
          and latest.node_path = asked.path and latest.device = asked.device
        join compliance_report as r on r.id = latest.report_id and r.ts = latest.ts
          and r.config_sha = asked.config and r.program_sha = asked.program
        where r.finding is not null`,
  );
  return new Map(
    found.map(({ n, finding, evaluated, warnings, counted }) => [
      Number(n) - 1,
      {
        finding,
        evaluated,
        parseWarnings: JSON.parse(warnings) as PreviousReport['parseWarnings'],
        totals: JSON.parse(counted) as PreviousReport['totals'],
      },
    ]),
  );
}

/** Reads each text once and checks it once with each of its programs, however many devices have it. */
async function reportsOf(
  db: Database,
  subjects: readonly Prepared[],
  earlier: ReadonlyMap<number, PreviousReport>,
  atOnce = Number.POSITIVE_INFINITY,
): Promise<NewReport[]> {
  const wanted = new Map<string, { size: number; programs: Set<string> }>();
  const sources = new Map<string, ProgramSource>();
  for (const [at, { missing, backup, program }] of subjects.entries()) {
    if (missing !== undefined || !backup || !program || earlier.has(at)) continue;
    const one = wanted.get(backup.sha256) ?? { size: backup.size, programs: new Set() };
    one.programs.add(program.sha256);
    wanted.set(backup.sha256, one);
    sources.set(program.sha256, program);
  }
  const found = new Map<string, CheckResult>();
  const lengthOf = (sha256: string) => ({ length: wanted.get(sha256)?.size ?? 0 });
  for (const hashes of batches(wanted.keys(), lengthOf, { rows: atOnce, characters: HELD })) {
    const texts = await textsOf(db, hashes);
    const tasks = hashes.flatMap((sha256): (CheckTask & { sha256: string })[] => {
      const text = texts.get(sha256);
      return text === undefined
        ? []
        : [{ sha256, text, programs: [...(wanted.get(sha256)?.programs ?? [])] }];
    });
    const outcomes = await checkAll(
      tasks.map(({ text, programs }) => ({ text, programs })),
      sources,
    );
    for (const [at, { sha256, programs }] of tasks.entries()) {
      for (const [n, program] of programs.entries()) {
        const outcome = outcomes[at]?.[n];
        if (outcome) found.set(`${sha256} ${program}`, outcome);
      }
    }
  }
  return subjects.map((subject, at) => {
    if (subject.missing !== undefined)
      return failureOf(subject, subject.missing, subject.isOther ? 'notApplicable' : 'error');
    const before = earlier.get(at);
    if (before) return reportAgain(subject, before);
    const checked = found.get(`${subject.backup?.sha256} ${subject.program?.sha256}`);
    return checked
      ? reportOf(subject, checked)
      : failureOf(subject, `backup ${subject.backup?.id} does not exist`);
  });
}

async function textsOf(db: Database, hashes: readonly string[]): Promise<Map<string, string>> {
  const found = await db.select().from(rawConfigs).where(isOneOf(rawConfigs.sha256, hashes));
  return new Map(found.map(({ sha256, content }) => [sha256, content]));
}
