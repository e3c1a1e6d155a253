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
  timestamp,
} from 'drizzle-orm/pg-core';
import { orderedText } from '../columns.ts';

/*
 * What compliance runs leave behind, beside the reports themselves: `compliance_report` is partitioned by month, which
 * drizzle cannot say, so its migration is written by hand (0004_compliance_report).
 */

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** One run over many devices: how far it is, and whether somebody asked it to stop. */
export const complianceBatches = pgTable('compliance_batch', {
  id: orderedText().primaryKey(),
  status: text().$type<'running' | 'complete' | 'canceled' | 'error'>().notNull().default('running'),
  total: integer().notNull(),
  /** Reports stored so far, and those among them that are errors: counted where the reports are stored. */
  done: integer().notNull().default(0),
  errors: integer().notNull().default(0),
  /** Also the moment of all its reports. */
  started: moment('started').notNull(),
  finished: moment('finished'),
  request: jsonb().notNull(),
  /** Trees that it compares with: who may read none of them does not see the batch. */
  treeIds: text('tree_ids').array().notNull().default(sql`'{}'`),
  cancel: boolean().notNull().default(false),
  /** Pieces of durable work that it was cut into: their ids are the batch's with a number from 0. */
  chunks: integer().notNull().default(0),
});

/** What a batch judges by while it runs: rules, parsers and variables as they were at its start. Gone when it ends. */
export const complianceBatchRules = pgTable('compliance_batch_rules', {
  batchId: orderedText('batch_id')
    .primaryKey()
    .references(() => complianceBatches.id, { onDelete: 'cascade' }),
  /** RuleSources as JSON: only ever read whole. */
  sources: text().notNull(),
});

/** Pieces of a throttled batch whose turn has not come: each is asked for by one before it. Gone when the batch ends. */
export const complianceBatchPieces = pgTable(
  'compliance_batch_piece',
  {
    batchId: orderedText('batch_id')
      .notNull()
      .references(() => complianceBatches.id, { onDelete: 'cascade' }),
    piece: integer().notNull(),
    /** What the piece is told, as JSON. */
    input: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.piece] })],
);

/** What was found on a device, once however many reports found the same: fleets repeat themselves. */
export const complianceFindings = pgTable('compliance_finding', {
  /** Of issues and specs as JSON text, 64 hexadecimal characters. */
  sha256: orderedText().primaryKey(),
  issues: jsonb().notNull(),
  /** Totals by spec, the root's first. */
  specs: jsonb().notNull(),
});

/** The newest complete report of each device at each place: what grades and summaries read. */
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
    finding: orderedText().notNull(),
  },
  (t) => [primaryKey({ columns: [t.treeId, t.version, t.nodePath, t.device] })],
);

/**
 * The trend of each part of a tree: how many devices have which score, by the newest complete report of each device on
 * each day. Holds for a day without rows in `complianceTrendChanges` (decision 0050).
 */
export const complianceTrend = pgTable(
  'compliance_trend',
  {
    treeId: orderedText('tree_id').notNull(),
    /** Null: whichever version a device was checked against last on that day. */
    version: orderedText(),
    /** This node and those below; empty: the whole tree. */
    nodePath: orderedText('node_path').notNull(),
    /** In UTC. */
    day: date().notNull(),
    /** The moments of the oldest and the newest of these reports. */
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

/** Days on which reports of a tree changed since its trend was summarized: rows that triggers append. */
export const complianceTrendChanges = pgTable(
  'compliance_trend_change',
  { treeId: orderedText('tree_id').notNull(), day: date().notNull() },
  (t) => [index('compliance_trend_change_day').on(t.treeId, t.day)],
);
