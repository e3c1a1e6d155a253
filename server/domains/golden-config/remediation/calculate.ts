import { compileSource, readerOfSource } from '../compliance/grading/check.ts';
import type { ProgramSource } from '../compliance/grading/program-source.ts';
import type { ParserSource } from '../parsers/readers.service.ts';
import { compileParser } from '../parsing/compile-parser.ts';
import { printConfig } from '../parsing/print.ts';
import type { PartialFields, Thresholds } from '../rules/score.ts';
import { applyChanges } from './apply-changes.ts';
import type { Change, Manual } from './change.ts';
import { sectionDiff } from './commands/line-diff.ts';
import { type Prediction, type ProposalRequest, predictedResultOf, proposedChanges } from './proposal.ts';
import { TooDeep } from './sections.ts';

/** A configuration and the rules that it should meet. */
export type ProposalSource = {
  source: ProgramSource;
  content: string;
  wanted?: ProposalRequest;
  /** The changes to judge; absent: all changes that fix the configuration. */
  changes?: readonly Change[];
  benchmarks: PartialFields<Thresholds>;
};
export type CalculatedProposal =
  | { changes: readonly Change[]; manual: readonly Manual[]; outlook: Prediction }
  | { error: string };

/** A configuration, its parser, and the changes to make. */
export type PreviewSource = {
  source: ParserSource;
  content: string;
  changes: Parameters<typeof applyChanges>[1];
};
export type PreviewDiff = ReturnType<typeof sectionDiff>;

/** Returns changes and their predicted result, or why nothing can be proposed. @throws Error for a parser that does not exist */
export function calculatedProposal(proposalSource: ProposalSource): CalculatedProposal {
  const { source, content, wanted, benchmarks } = proposalSource;
  const reader = readerOfSource(source);
  if (!reader) throw new Error(`parser template ${source.parser.template} does not exist`);
  const compiled = compileSource(source, reader);
  if ('error' in compiled) return { error: compiled.error };
  const { program } = compiled;
  const parsed = reader.read(content);
  try {
    const { changes, manual } = proposalSource.changes
      ? { changes: proposalSource.changes, manual: [] }
      : proposedChanges(program, parsed, reader.dialect, wanted);
    return {
      changes,
      manual,
      outlook: predictedResultOf(program, parsed, changes, reader.dialect, benchmarks),
    };
  } catch (error) {
    if (error instanceof TooDeep) return { error: error.message };
    throw error;
  }
}

/** Returns a diff of the sections that the changes affect. @throws Error for a parser that does not exist */
export function previewDiff({ source, content, changes }: PreviewSource): PreviewDiff {
  const reader = compileParser(source);
  if (!reader) throw new Error(`parser template ${source.template} does not exist`);
  const before = reader.read(content);
  const after = applyChanges(before, changes, reader.dialect);
  return sectionDiff(printConfig(before, reader.dialect), printConfig(after, reader.dialect));
}
