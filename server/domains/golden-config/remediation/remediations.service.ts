import { insert, remove, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Remediation, RemediationStatus } from '#db/schemas/golden-config/remediation.ts';
import type { ProposeOptions } from '#db/schemas/requests/remediation.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';
import { isSamePerson } from '#server/domains/identity/index.ts';
import { selectDevices } from '#server/domains/network/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, forbidden, invalid, invalidRequest } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { shownConfiguration } from '../backups/shown-configuration.ts';
import { benchmarksOf } from '../compliance/grading/grading.ts';
import { devicesWithIssues } from '../compliance/reports/report-filter.service.ts';
import { getTree } from '../trees/trees.service.ts';
import { type ReportBasis, reportsOf, rulesFor, storedText, textOfReport } from './basis.service.ts';
import { calculateProposal } from './calculate.service.ts';
import type { Change } from './change.ts';
import type { Prediction, ProposalRequest } from './proposal.ts';
import { findRemediation } from './remediation-reads.service.ts';

/** Time in which a proposal may be approved and applied, in milliseconds: 72 hours (contract/lifecycle#4.10). */
const LIFETIME_MS = 72 * 3_600_000;

/**
 * Creates proposals that fix the devices of some reports, or of the newest reports of selected devices. No device is touched
 * (contract/lifecycle#4.10).
 *
 * @returns one proposal for each report, in the order of the reports
 * @throws ServiceError BAD_REQUEST unless either reports or tree and selection are named; NOT_FOUND for a report; CONFLICT when a device's configuration changed since its report;
 *   UNPROCESSABLE_CONTENT for a report without a verdict, and for rules or configurations that allow no proposal
 */
export async function proposeRemediations(
  ctx: WriteContext<'config'>,
  { reportIds, treeId, selection, ...wanted }: ProposeOptions,
): Promise<Remediation[]> {
  const proposals: Remediation[] = [];
  const ids = reportIds ?? (await selectedReports(ctx, { treeId, selection }));
  if (reportIds && (selection || treeId))
    throw invalid(['options', 'reportIds'], 'cannot be combined with treeId and selection');
  for (const report of await reportsOf(ctx, [...new Set(ids)])) {
    proposals.push(await propose(ctx, report, wanted));
  }
  return proposals;
}

/** Maximum number of proposals of one request. */
const MOST = 50;

/** Returns the newest reports on a tree of the selected devices that have issues, by the name of the device. */
async function selectedReports(
  ctx: WriteContext<'config'>,
  { treeId, selection }: Pick<ProposeOptions, 'treeId' | 'selection'>,
): Promise<string[]> {
  if (!selection) throw invalid(['options', 'reportIds'], 'is required, unless a selection is sent');
  if (treeId === undefined) throw invalid(['options', 'treeId'], 'is required with a selection');
  await getTree(ctx, treeId);
  const names = await selectDevices(ctx, selection, ['options', 'selection']);
  const found = await devicesWithIssues(ctx.db, treeId, names, MOST + 1);
  const path = ['options', 'selection'];
  if (found.length === 0) throw invalid(path, 'selects no device with issues on this tree', 'empty');
  if (found.length > MOST)
    throw invalid(path, `selects more than ${MOST} devices with issues: narrow it`, 'too_big');
  return found.map(({ report }) => report);
}

async function propose(
  ctx: WriteContext<'config'>,
  report: ReportBasis,
  wanted: ProposalRequest,
): Promise<Remediation> {
  const { id: reportId, treeId, version, nodePath, deviceName, backupId, variables } = report;
  const base = await textOfReport(ctx, report);
  const source = await rulesFor(ctx, report, variables);
  const benchmarks = benchmarksOf(ctx);
  const proposed = await calculateProposal({ source, content: base.content, wanted, benchmarks });
  const now = ctx.platform.now();
  const id = newId();
  const stamp = now.toISOString();
  const doc: Remediation = {
    id,
    _id: id,
    reportId,
    deviceName,
    treeId,
    version,
    nodePath,
    status: 'proposed',
    changes: [...proposed.changes],
    manual: [...proposed.manual],
    ...outlookFields(proposed.outlook),
    basis: backupId === null ? 'device' : 'backup',
    backupId,
    baseSha256: base.sha256,
    variables,
    approvals: [],
    authors: [ctx.principal.id],
    createdBy: ctx.principal.id,
    created: stamp,
    lastUpdated: stamp,
    expires: new Date(now.getTime() + LIFETIME_MS).toISOString(),
    result: null,
  };
  return insert(ctx.db, remediations, id, doc);
}

const outlookFields = (outlook: Prediction) => ({ ...outlook, configSha256: sha256(outlook.config) });

/**
 * Changes the selection of a proposal: recalculates commands, rollback and prediction, and removes approvals. The caller
 * becomes an author of the proposal.
 *
 * @param selected ids of the proposal's changes that are to be pushed
 * @throws ServiceError BAD_REQUEST for changes that the proposal does not have, CONFLICT when it is no longer open
 */
export async function selectChanges(
  ctx: WriteContext<'config'>,
  id: string,
  selected: readonly string[],
): Promise<Remediation> {
  const stored = await open(ctx, id);
  const { doc } = stored;
  const known = new Set(doc.changes.map((change) => change.id));
  const unknown = selected.flatMap((one, at) => (known.has(one) ? [] : [{ one, at }]));
  if (unknown.length > 0) {
    throw invalidRequest(
      unknown.map(({ one, at }) => ({
        path: ['selected', at],
        message: `the proposal does not have the change ${one.slice(0, 50)}`,
        code: 'unknown_change',
      })),
    );
  }
  const text = await storedText(ctx, doc.deviceName, doc.baseSha256);
  if (!text) throw conflict(`The configuration for which remediation ${id} was made is no longer stored`);
  const source = await rulesFor(ctx, doc, doc.variables);
  const isSelected = new Set(selected);
  const changes = doc.changes.map((change) => ({ ...change, selected: isSelected.has(change.id) }));
  // `propose` wrote these changes: the schema allows `after` to be undefined, which JSON cannot contain.
  const { outlook } = await calculateProposal({
    source,
    content: text.content,
    changes: changes as Change[],
    benchmarks: benchmarksOf(ctx),
  });
  const authors = [...new Set([...doc.authors, ctx.principal.id])];
  return write(ctx, stored, {
    ...doc,
    status: 'proposed',
    changes,
    ...outlookFields(outlook),
    approvals: [],
    authors,
  });
}

/**
 * Approves an exact text; authors may not approve their own (contract/lifecycle#4.10).
 *
 * @param configSha256 SHA-256 of the text that the approver has read, in hexadecimal
 * @param comment for other readers of the proposal
 * @throws ServiceError FORBIDDEN for an author; CONFLICT when the hash is not that of the text, the status is not
 *   `proposed`, or the proposal carries a risk
 */
export async function approveRemediation(
  ctx: WriteContext<'config'>,
  id: string,
  { configSha256, comment }: { configSha256: string; comment?: string | undefined },
): Promise<Remediation> {
  const { doc } = await open(ctx, id);
  return approveText(ctx, id, { configSha256: await hashOfShown(ctx.principal, doc, configSha256), comment });
}

/** Approves a proposal by the hash of its whole text, whatever of it the approver reads as masks; otherwise as `approveRemediation`. */
export async function approveText(
  ctx: WriteContext<'config'>,
  id: string,
  { configSha256, comment = '' }: { configSha256: string; comment?: string | undefined },
): Promise<Remediation> {
  const { principal, platform } = ctx;
  const stored = await open(ctx, id);
  const { doc } = stored;
  if (await isSamePerson(ctx.db, principal.id, doc.authors)) {
    throw forbidden(
      `Remediation ${id} was created by you, or by a service account of the same user: another user must approve it`,
    );
  }
  assertStatus(doc, ['proposed'], 'approved');
  assertText(doc, configSha256);
  if (doc.risk !== '') throw conflict(`Remediation ${id} cannot be approved: ${doc.risk}`);
  const approval = {
    account: principal.id,
    username: principal.username,
    time: platform.now().toISOString(),
    configSha256,
    comment,
  };
  return write(ctx, stored, { ...doc, status: 'approved', approvals: [approval] });
}

/**
 * Rejects a proposal permanently.
 *
 * @param reason for other readers of the proposal
 * @throws ServiceError CONFLICT when it is not open
 */
export async function rejectRemediation(
  ctx: WriteContext<'config'>,
  id: string,
  reason: string,
): Promise<Remediation> {
  const stored = await open(ctx, id);
  return write(ctx, stored, { ...stored.doc, status: 'rejected', reason });
}

/**
 * Returns a proposal that may be applied: approved, and with the expected text.
 *
 * @throws ServiceError NOT_FOUND, CONFLICT
 */
export async function approvedRemediation(
  ctx: WriteContext<'config'>,
  id: string,
  configSha256: string,
): Promise<Stored<Remediation>> {
  const stored = await open(ctx, id);
  assertStatus(stored.doc, ['approved'], 'applied');
  assertText(stored.doc, configSha256);
  return stored;
}

/** The statuses from which a proposal gets to another one while it is applied; one that is rolled back has failed. */
const MARKED_FROM = {
  applying: ['approved'],
  applied: ['applying', 'failed'],
  failed: ['applying', 'failed', 'applied'],
} as const;

/** Stores the progress of applying a proposal. @throws ServiceError CONFLICT */
export async function markRemediation(
  ctx: WriteContext<'config'>,
  id: string,
  status: 'applying' | 'applied' | 'failed',
  result: Record<string, unknown> | null,
): Promise<void> {
  const stored = await findRemediation(ctx, id, true);
  assertStatus(stored.doc, MARKED_FROM[status], status);
  await write(ctx, stored, { ...stored.doc, status, result });
}

/**
 * Deletes a proposal that is not in use.
 *
 * @throws ServiceError CONFLICT for one that is approved, being applied, applied or failed
 */
export async function deleteRemediation(ctx: WriteContext<'config'>, id: string): Promise<void> {
  const { doc } = await locked(ctx, id);
  assertStatus(doc, ['proposed', 'rejected', 'expired', 'stale'], 'deleted');
  await remove(ctx.db, remediations, [id]);
}

async function locked(ctx: WriteContext<'config'>, id: string): Promise<Stored<Remediation>> {
  const stored = await findRemediation(ctx, id, true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Remediation ${id}`);
  return stored;
}

/** Returns a locked proposal that may still be changed, approved or applied. */
async function open(ctx: WriteContext<'config'>, id: string): Promise<Stored<Remediation>> {
  const stored = await locked(ctx, id);
  assertStatus(stored.doc, ['proposed', 'approved'], 'changed');
  return stored;
}

/** Why a proposal ended that no user ended. */
const ENDED: ReadonlyMap<RemediationStatus, string> = new Map([
  ['stale', 'its device has had another configuration since'],
  ['expired', 'it was not applied in time'],
]);

function assertStatus(
  { id, status }: Remediation,
  allowed: readonly RemediationStatus[],
  done: string,
): void {
  if (allowed.includes(status)) return;
  const ended = ENDED.get(status);
  if (ended) throw conflict(`Remediation ${id} is ${status}: ${ended}; make a new one`);
  throw conflict(
    `Remediation ${id} is ${status}: only a remediation that is ${allowed.join(' or ')} can be ${done}`,
  );
}

function assertText({ id, configSha256 }: Remediation, given: string): void {
  if (given.toLowerCase() === configSha256) return;
  throw conflict(`The text of remediation ${id} does not match this hash: review it again`);
}

/**
 * Returns the hash of the whole text for the hash of the text as the caller reads it, with masks or without; '' for any other:
 * to a caller who reads masks, a hash of the whole text that is accepted would confirm a guess of the secrets in it.
 */
export async function hashOfShown(
  caller: Caller,
  { config, configSha256 }: Remediation,
  given: string,
): Promise<string> {
  const shown = await shownConfiguration(caller, config);
  return shown === config ? given : given.toLowerCase() === sha256(shown) ? configSha256 : '';
}

async function write(
  ctx: WriteContext<'config'>,
  stored: Stored<Remediation>,
  doc: Remediation,
): Promise<Remediation> {
  const written = { ...doc, lastUpdated: grownStamp(ctx.platform.now(), stored.doc.lastUpdated) };
  if (!(await replace(ctx.db, remediations, stored, written))) {
    throw changedMeanwhile(`Remediation ${doc.id}`);
  }
  return written;
}
