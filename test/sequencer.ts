import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that start programs take longest, however short they are: they come first, so that none is left running alone at
 * the end. The others follow as Vitest has them: by the time that each took last, or by size where nobody knows.
 */
export class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = new Set(sorted.filter(startsPrograms));
    return [...first, ...sorted.filter((file) => !first.has(file))];
  }
}

const startsPrograms = ({ moduleId }: TestSpecification) =>
  /\b(spawn|execFile|execFileSync|openProcesses|openLaunching|startOwner)\b/.test(
    readFileSync(moduleId, 'utf8'),
  );
