import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLong } from './helpers/long.ts';

/**
 * Starts the files that take longest first, so that none of them is left running alone at the end: those of the long form,
 * those with tests that only the long form runs, and those that start programs or a browser. Within both groups files
 * follow as Vitest has them: by the time that each took last, or by size in a clean checkout, where no times are known.
 * Size alone misleads: some of the smallest files visit every screen of the console.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = new Set(sorted.filter((file) => isOfLongForm(file) || startsPrograms(file)));
    return [...first, ...sorted.filter((file) => !first.has(file))];
  }
}

const isOfLongForm = ({ moduleId }: TestSpecification) =>
  moduleId.endsWith('.long.test.ts') || (isLong && /\bisLong\b/.test(readFileSync(moduleId, 'utf8')));

const startsPrograms = ({ moduleId }: TestSpecification) =>
  /\b(spawn|execFile|execFileSync|openProcesses|openLaunching|startOwner|startDemo|describeInBrowser)\b/.test(
    readFileSync(moduleId, 'utf8'),
  );
