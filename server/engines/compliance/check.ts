import type { Totals } from '#db/schemas/compliance.ts';
import { rulesOf } from '#server/engines/configuration/built-in-parsers.ts';
import { deriveSpec } from '#server/engines/configuration/derivation.ts';
import { compileParser, type Reader } from '#server/engines/dialects/compile-parser.ts';
import type { ParsedConfig } from '#server/engines/dialects/config-line.ts';
import { compileRules } from '#server/engines/rules/compile.ts';
import { evaluate, type Issue } from '#server/engines/rules/evaluate.ts';
import type { SpecLines } from '#server/engines/rules/fold.ts';
import type { RuleProgram } from '#server/engines/rules/program.ts';
import { RulesRefused } from '#server/engines/rules/refused.ts';
import type { FoundBySpec } from './new-report.ts';
import { type CheckTask, isDerived, type ProgramSource, type SpecSource } from './program-source.ts';

/** What one program finds in one configuration, or why it cannot tell. */
export type Checked =
  | {
      status: 'complete';
      totals: Totals;
      evaluated: number;
      issues: Issue[];
      specs: FoundBySpec[];
      parseWarnings: { line: number; reason: string }[];
    }
  | { status: 'error'; error: string };

/** Most warnings of a parser that a report tells. */
const MOST_WARNINGS = 100;

type Compiled = { program: RuleProgram; specs: readonly SpecSource[] } | { error: string };

/** Holds configurations against programs; it remembers what it compiled. */
export type Checker = {
  /** What each of the task's programs finds, in their order. @throws what nobody foresaw */
  check: (task: CheckTask, sources: ReadonlyMap<string, ProgramSource>) => Checked[];
};

/** Programs, and readers, that a checker remembers: where each device has its own, none is asked for again. */
const REMEMBERED = 200;

/** A checker: one a thread. */
export function openChecker(): Checker {
  const programs = new Map<string, Compiled>();
  const readers = new Map<string, Reader | null>();
  const readerOf = (parser: ProgramSource['parser']) =>
    recalled(
      readers,
      JSON.stringify([parser.template, parser.lexRules]),
      () => compileParser(parser, rulesOf(parser.template)) ?? null,
    );
  return {
    check: ({ text, programs: wanted }, sources) => {
      const read = new Map<Reader, ParsedConfig>();
      return wanted.map((sha256): Checked => {
        const source = sources.get(sha256);
        const reader = source && readerOf(source.parser);
        if (!reader)
          return { status: 'error', error: `no parser is built on ${source?.parser.template ?? 'it'}` };
        const compiled = recalled(programs, sha256, () => compile(source, reader));
        if ('error' in compiled) return { status: 'error', error: compiled.error };
        const parsed = read.get(reader) ?? reader.read(text);
        read.set(reader, parsed);
        return verdict(compiled, parsed);
      });
    },
  };
}

function recalled<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  return made;
}

function compile({ specs, variables }: ProgramSource, reader: Reader): Compiled {
  const lines: SpecLines[] = [];
  for (const spec of specs) {
    const derived = linesOf(spec, variables, reader);
    if ('error' in derived) return derived;
    lines.push({ id: spec.id, ...derived });
  }
  try {
    return { program: compileRules(lines, variables, reader.dialect), specs };
  } catch (error) {
    if (!(error instanceof RulesRefused)) throw error;
    const [fault] = error.faults;
    const at = specs.find(({ id }) => id === fault?.specId)?.nodePath;
    return { error: `the rules of node ${at}: ${error.message}` };
  }
}

/** The lines that hold in a run: a template gives them with the variables that are there now (decisions §7, Tree import). */
function linesOf(
  spec: SpecSource,
  variables: ProgramSource['variables'],
  reader: Reader,
): Omit<SpecLines, 'id'> | { error: string } {
  if (!isDerived(spec)) return { lines: spec.lines };
  const { lines, reads, issues } = deriveSpec({ _id: spec.id, template: spec.template }, variables, reader);
  const [issue] = issues;
  return issue ? { error: `the template of node ${spec.nodePath}: ${issue.message}` } : { lines, reads };
}

function verdict({ program, specs }: Exclude<Compiled, { error: string }>, parsed: ParsedConfig): Checked {
  const { totals, evaluated, issues, perSpec } = evaluate(program, parsed);
  return {
    status: 'complete',
    totals,
    evaluated,
    issues,
    specs: perSpec.map(({ specId, totals: own }, at) => ({
      specId,
      nodePath: specs[at]?.nodePath ?? '',
      ...own,
    })),
    parseWarnings: parsed.warnings.slice(0, MOST_WARNINGS),
  };
}
