import { sql } from 'drizzle-orm';
import {
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { moment, orderedText } from '../../columns.ts';

/*
 * Results of compliance runs, except the reports themselves: `compliance_report` is partitioned by month, which drizzle
 * cannot express, so its migration is written by hand (0004_compliance_report).
 */

/** One run over many devices: its progress, and whether its cancellation was requested. */
export const complianceBatches = pgTable('compliance_batch', {
  id: orderedText().primaryKey(),
  status: text().$type<'running' | 'complete' | 'canceled' | 'error'>().notNull().default('running'),
  total: integer().notNull(),
  /** Reports stored so far, and the errors among them; incremented in the transaction that stores the reports. */
  done: integer().notNull().default(0),
  errors: integer().notNull().default(0),
  /** Also the time of all its reports. */
  started: moment('started').notNull(),
  finished: moment('finished'),
  request: jsonb().notNull(),
  /** Trees that the run compares with: a caller who may read none of them does not see the batch. */
  treeIds: text('tree_ids').array().notNull().default(sql`'{}'`),
  cancel: boolean().notNull().default(false),
  /** Number of work items that the run was split into: their ids are the batch's with a number from 0. */
  chunks: integer().notNull().default(0),
});

/** Rules, parsers and variables of a running batch, as they were at its start. Deleted when it ends. */
export const complianceBatchRules = pgTable('compliance_batch_rules', {
  batchId: orderedText('batch_id')
    .primaryKey()
    .references(() => complianceBatches.id, { onDelete: 'cascade' }),
  /** RuleSources as JSON; always read as a whole. */
  sources: text().notNull(),
});

/** Pieces of a throttled batch that still wait: each is started by an earlier one. Deleted when the batch ends. */
export const complianceBatchPieces = pgTable(
  'compliance_batch_piece',
  {
    batchId: orderedText('batch_id')
      .notNull()
      .references(() => complianceBatches.id, { onDelete: 'cascade' }),
    piece: integer().notNull(),
    /** Input of the piece, as JSON. */
    input: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.piece] })],
);

/** Findings on a device, stored once for all reports that found the same, which is common within a fleet. */
export const complianceFindings = pgTable('compliance_finding', {
  /** Hash of issues and specs as JSON text, 64 hexadecimal characters. */
  sha256: orderedText().primaryKey(),
  issues: jsonb().notNull(),
  /** Totals by spec, the root's first. */
  specs: jsonb().notNull(),
  /** The rules that are violated: id of the spec, space, id of the line. */
  rules: text().array().generatedAlwaysAs(sql`compliance_finding_rules(issues)`),
});

/** The newest report of each device at each node that is no error, from which grades and summaries are read. */
export const complianceLatest = pgTable(
  'compliance_latest',
  {
    treeId: orderedText('tree_id').notNull(),
    version: orderedText().notNull(),
    nodePath: orderedText('node_path').notNull(),
    device: orderedText().notNull(),
    reportId: orderedText('report_id').notNull(),
    ts: moment('ts').notNull(),
    errors: integer().notNull(),
    warnings: integer().notNull(),
    infos: integer().notNull(),
    passes: integer().notNull(),
    /** Null unless the status is `complete`. */
    finding: orderedText(),
    /** `notApplicable`: the node has no rules for the platform of the device. */
    status: text().$type<'complete' | 'notApplicable'>().notNull().default('complete'),
    /** Parser of the section of the rules; null in rows of releases without sections. */
    deviceType: text('device_type'),
  },
  (t) => [primaryKey({ columns: [t.treeId, t.version, t.nodePath, t.device] })],
);

/**
 * The trend of each part of a tree: number of devices per score, by the newest complete report of each device on each day.
 * Valid for a day without rows in `complianceTrendChanges` (decision 0050).
 */
export const complianceTrend = pgTable(
  'compliance_trend',
  {
    treeId: orderedText('tree_id').notNull(),
    /** Null: whichever version a device was last checked against on that day. */
    version: orderedText(),
    /** This node and those below it; empty: the whole tree. */
    nodePath: orderedText('node_path').notNull(),
    /** In UTC. */
    day: date().notNull(),
    /** The times of the oldest and the newest of these reports. */
    firstTs: moment('first_ts').notNull(),
    lastTs: moment('last_ts').notNull(),
    /** Distinct scores under the default weights, ascending, and the number of devices that have each. */
    scores: doublePrecision().array().notNull(),
    devices: integer().array().notNull(),
  },
  (t) => [
    index('compliance_trend_part').on(t.treeId, t.version, t.nodePath, t.day),
    index('compliance_trend_day').on(t.treeId, t.day),
  ],
);

/** Days on which reports of a tree changed since its trend was last summarized; triggers append the rows. */
export const complianceTrendChanges = pgTable(
  'compliance_trend_change',
  { treeId: orderedText('tree_id').notNull(), day: date().notNull() },
  (t) => [index('compliance_trend_change_day').on(t.treeId, t.day)],
);
