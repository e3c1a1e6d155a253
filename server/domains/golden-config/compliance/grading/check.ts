import type { Totals } from '#db/schemas/golden-config/compliance.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { type Identities, withItems } from '../../dialects/json-items.ts';
import { type ConfigReader, compileParser } from '../../parsing/compile-parser.ts';
import type { ParsedConfig } from '../../parsing/config-line.ts';
import { compileRules } from '../../rules/compile.ts';
import { RuleCompileError } from '../../rules/compile-error.ts';
import { evaluate } from '../../rules/evaluate.ts';
import type { SpecLines } from '../../rules/fold.ts';
import type { RuleProgram } from '../../rules/program.ts';
import { identitiesOf, ruleSetOf } from '../../rules/rule-set.ts';
import { deriveSpec, lineSeed } from '../../specs/derivation.ts';
import { findingOf, type StoredFinding } from '../reports/finding.service.ts';
import { type CheckTask, isDerived, type ProgramSource, type SpecSource } from './program-source.ts';

/** The result of checking one configuration with one program, or the reason why it cannot be checked. */
export type CheckResult =
  | {
      status: 'complete';
      totals: Totals;
      evaluated: number;
      finding: StoredFinding;
      parseWarnings: { line: number; reason: string }[];
    }
  | { status: 'error'; error: string };

/** Maximum number of parser warnings in a report. */
const MOST_WARNINGS = 100;

/** A program compiled from its source, or what is wrong with the source. */
export type CompiledRules = { program: RuleProgram; specs: readonly SpecSource[] } | { error: string };

/** Checks configurations with programs; caches what it compiles. */
export type Checker = {
  /** Returns the results of the task's programs, in their order. @throws unexpected errors only */
  check: (task: CheckTask, sources: ReadonlyMap<string, ProgramSource>) => CheckResult[];
};

/** Maximum number of cached programs and of cached readers; devices with rules of their own do not reuse them. */
const REMEMBERED = 200;

/** Returns a checker: one per thread. */
export function openChecker(): Checker {
  const programs = new Map<string, CompiledRules>();
  const readers = new Map<string, ConfigReader | false>();
  const readerOf = (source: ProgramSource) =>
    recalled(
      readers,
      JSON.stringify([source.parser.template, source.parser.lexRules, [...(itemsOf(source) ?? [false])]]),
      () => readerOfSource(source) ?? false,
    );
  return {
    check: ({ text, programs: wanted }, sources) => {
      const read = new Map<ConfigReader, ParsedConfig>();
      return wanted.map((sha256): CheckResult => {
        const source = sources.get(sha256);
        const reader = source && readerOf(source);
        if (!reader)
          return {
            status: 'error',
            error: `parser template ${source?.parser.template ?? 'unknown'} does not exist`,
          };
        const compiled = recalled(programs, sha256, () => compileSource(source, reader));
        if ('error' in compiled) return { status: 'error', error: compiled.error };
        const parsed = read.get(reader) ?? reader.read(text);
        read.set(reader, parsed);
        return verdict(compiled, parsed);
      });
    },
  };
}

const recalled = <Value>(known: Map<string, Value>, key: string, make: () => Value): Value =>
  known.get(key) ?? keepLatest(known, REMEMBERED, key, make());

/** Returns the reader for the configurations that a program checks; undefined when its parser names an unknown grammar. */
export function readerOfSource(source: Pick<ProgramSource, 'parser' | 'specs'>): ConfigReader | undefined {
  const reader = compileParser(source.parser);
  const items = reader?.dialect.name === 'json' ? itemsOf(source) : undefined;
  return reader && items ? { ...reader, read: (text) => withItems(reader.read(text), items) } : reader;
}

/** Returns the fields that identify JSON items; undefined when no node has a rule set: items are then ordinary lines. */
function itemsOf({ specs }: Pick<ProgramSource, 'specs'>): Identities | undefined {
  const stored = specs.flatMap(({ ruleSet }) => (ruleSet === undefined ? [] : [ruleSetOf(ruleSet)]));
  if (stored.length === 0) return undefined;
  // A rule set that cannot be read is reported where its node's rules are compiled.
  return identitiesOf(stored.flatMap((one) => ('ruleSet' in one ? [one.ruleSet] : [])));
}

/** Compiles stored rules to a program, the only place that does; templates are rendered with the current variables. */
export function compileSource(
  { specs, variables }: Pick<ProgramSource, 'specs' | 'variables'>,
  reader: ConfigReader,
): CompiledRules {
  const lines: SpecLines[] = [];
  const identities = itemsOf({ specs });
  for (const spec of specs) {
    const derived = linesOf(spec, variables, reader, identities);
    if ('error' in derived) return derived;
    lines.push({ id: spec.id, ...derived });
  }
  try {
    return { program: compileRules(lines, variables, reader.dialect), specs };
  } catch (error) {
    if (!(error instanceof RuleCompileError)) throw error;
    const [fault] = error.faults;
    const at = specs.find(({ id }) => id === fault?.specId)?.nodePath;
    return { error: `the rules of node ${at}: ${error.message}` };
  }
}

/**
 * Returns the lines that apply in a run: rendered from the template with the current variables
 * (contract/decisions#tree-import).
 */
function linesOf(
  spec: SpecSource,
  variables: ProgramSource['variables'],
  reader: ConfigReader,
  identities: Identities | undefined,
): Omit<SpecLines, 'id'> | { error: string } {
  if (!isDerived(spec)) return { lines: spec.lines };
  const { id, section, template, ruleSet = identities && {} } = spec;
  const source = { _id: lineSeed(id, section), template, ruleSet };
  const { lines, issues } = deriveSpec(source, variables, reader, { identities });
  const [issue] = issues;
  return issue ? { error: `the template of node ${spec.nodePath}: ${issue.message}` } : { lines };
}

function verdict(
  { program, specs }: Exclude<CompiledRules, { error: string }>,
  parsed: ParsedConfig,
): CheckResult {
  const { totals, evaluated, issues, perSpec } = evaluate(program, parsed);
  return {
    status: 'complete',
    totals,
    evaluated,
    finding: findingOf(
      issues,
      perSpec.map(({ specId, totals: own }, at) => ({ specId, nodePath: specs[at]?.nodePath ?? '', ...own })),
    ),
    parseWarnings: parsed.warnings.slice(0, MOST_WARNINGS),
  };
}
