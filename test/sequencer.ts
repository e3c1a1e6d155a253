import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLong } from './helpers/long.ts';

/**
 * Starts the files that take longest first, so that none of them is left running alone at the end: those that give a test
 * minutes, those of the long form, those with tests that only the long form runs, and those that start programs or a
 * browser. Within each group files follow as Vitest has them: by the time that each took last, or by size in a clean checkout,
 * where no times are known. Size alone misleads: some of the smallest files visit every screen of the console, or wait for a
 * clock for a minute.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = (file: TestSpecification) => isOfLongForm(file) || startsPrograms(file);
    const patient = new Set(sorted.filter((file) => isLong && givesMinutes(file)));
    const first = new Set(sorted.filter((file) => !patient.has(file) && isFirst(file)));
    const others = sorted.filter((file) => !patient.has(file) && !first.has(file));
    return [...patient, ...first, ...others];
  }
}

/** A number of milliseconds from five minutes on, or any other number as large: what takes as long, or handles as much. */
const givesMinutes = ({ moduleId }: TestSpecification) =>
  /\b([3-9]\d\d|[1-9]\d{3,})_000\b/.test(readFileSync(moduleId, 'utf8'));

const isOfLongForm = ({ moduleId }: TestSpecification) =>
  moduleId.endsWith('.long.test.ts') || (isLong && /\bisLong\b/.test(readFileSync(moduleId, 'utf8')));

const startsPrograms = ({ moduleId }: TestSpecification) =>
  /\b(spawn|execFile|execFileSync|openProcesses|openLaunching|startOwner|startDemo|describeInBrowser)\b/.test(
    readFileSync(moduleId, 'utf8'),
  );
