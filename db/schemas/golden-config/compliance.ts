import { z } from 'zod';
import { text } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

/** The verdict on a score (contract/resources#2.5). */
export const Grade = z.enum(['pass', 'review', 'fail']).meta({
  id: 'Grade',
  description: 'Verdict: pass from 90 points, review from 80, else fail, unless benchmarks say otherwise.',
});
export type Grade = z.infer<typeof Grade>;

const nodePath = z.string().meta({
  description: 'Node of the golden tree: names from the root down, separated by slashes',
  examples: ['base/access'],
});

/** A device's newest report, graded (contract/resources#2.5 record). */
export const GradedRecord = z
  .looseObject({
    deviceName: z.string().meta({ description: 'Device that was checked', examples: ['edge-1'] }),
    reportId: ObjectId.describe('Id of the compliance report behind the score'),
    nodePath,
    timestamp: Timestamp.describe('When the device was checked'),
    score: z.number().meta({
      description:
        'Points: share of passed rules, issues counted by weight, two decimals. 100 is best; negative weights can make it negative',
      examples: [63.64],
    }),
    grade: Grade,
  })
  .meta({ id: 'GradedRecord', description: 'The newest compliance report of one device, with its grade.' });

/** All devices of one grade (contract/resources#2.5 group, contract/endpoints#4.6). */
export const GradedGroup = z
  .looseObject({
    grade: Grade,
    total: z.int().min(0).describe('Number of records in this group'),
    devices: z.array(z.string()).describe('Names of the devices in this group'),
    records: z.array(GradedRecord).describe('Graded reports, best score first, then by device'),
  })
  .meta({
    id: 'GradedGroup',
    description: 'The devices with one grade. A grade without devices has total 0.',
  });
export type GradedGroup = z.infer<typeof GradedGroup>;

const weight = (of: string, absent: number) =>
  z.number().optional().describe(`Weight of one ${of} relative to one pass; absent: ${absent}`);

/** The weights of issues by severity, relative to one pass (contract/resources#2.5, contract/endpoints#4.6). */
export const Weights = z
  .strictObject({
    error: weight('error', 2),
    warning: weight('warning', 1),
    info: weight('info', 0.5),
  })
  .meta({
    id: 'Weights',
    description: 'score = 100 · passes / (weighted issues + passes). Any finite numbers, negative ones too.',
  });

/** The lowest scores that earn each grade (contract/endpoints#4.6). */
export const Benchmarks = z
  .strictObject({
    pass: z.number().optional().describe('Lowest score, in points, that passes; absent: 90'),
    review: z.number().optional().describe('Lowest score, in points, that is graded review; absent: 80'),
  })
  .meta({ id: 'Benchmarks', description: 'Lowest scores for pass and review; anything lower fails.' });

/** Options of grading (contract/resources#2.5, contract/endpoints#4.6; benchmarks by contract/endpoints#4.6). */
export const GradingOptions = z
  .strictObject({
    weights: Weights.optional().describe('Weights of issues; missing fields have their defaults'),
    nodePath: text('Grade this node and those below it; absent: the whole tree', 'base/access'),
    benchmarks: Benchmarks.optional().describe('Scores that separate the grades; absent: 90 and 80'),
  })
  .meta({ id: 'GradingOptions', description: 'How to grade, and which part of the tree.' });

const count = (of: string) => z.int().describe(`Number of ${of}`);

/** Counts of the findings of one compliance run, by kind (contract/resources#2.6). */
export const Totals = z
  .looseObject({
    errors: count('violated rules of severity error'),
    warnings: count('violated rules of severity warning'),
    infos: count('violated rules of severity info'),
    passes: count('rules that the configuration meets'),
  })
  .meta({ id: 'Totals', description: 'Counts of one compliance run on one device.' });
export type Totals = z.infer<typeof Totals>;

/** One finished compliance run of one device (contract/resources#2.6). */
export const HistoryRecord = z
  .looseObject({
    id: ObjectId.describe('Id of the compliance report'),
    batchId: ObjectId.nullable().describe('Batch that the run belonged to; null for a run on its own'),
    treeId: ObjectId.describe('Golden tree against which the device was checked'),
    version: z.string().meta({ description: 'Version of that tree', examples: ['initial'] }),
    nodePath,
    deviceName: z.string().meta({ description: 'Device that was checked', examples: ['edge-1'] }),
    timestamp: Timestamp.describe('When the device was checked'),
    totals: Totals,
  })
  .meta({ id: 'HistoryRecord', description: 'One compliance run of one device, with its counts.' });
export type HistoryRecord = z.infer<typeof HistoryRecord>;
