import {
  checkedLines,
  derivedSpec,
  type LinesCheck,
  type SpecDerivation,
  type StaleCheck,
  staleChecked,
} from '#server/engines/configuration/derivation-calculations.ts';
import { type ParserTrial, triedParser } from '#server/engines/configuration/parser-test.ts';
import { differences, type Grain } from '#server/engines/configuration/differences.ts';
import { renderedIn, type TemplateTexts } from '#server/engines/jinja/rendered.ts';
import {
  comparedRuns,
  type DeviceAnswers,
  entriesOf,
  type RulesCheck,
  type RunComparison,
  ruleIssues,
} from '#server/engines/mop/calculate.ts';
import {
  calculatedProposal,
  type PreviewSource,
  type ProposalSource,
  previewDiff,
} from '#server/engines/remediation/calculate.ts';
import { type SpecSource, specTextOf } from '#server/engines/rules/spec-of-text.ts';
import { type Compilable, compileFaults } from '#server/engines/templates/check.ts';
import { recordsOf, type TextFsmReading } from '#server/engines/textfsm/read.ts';
import { type TaskGiven, transformationOutcome } from '#server/engines/transformations/task.ts';
import { type RunGiven, runTransformation } from '#server/engines/transformations/transformation.ts';
import {
  type EvaluationTrial,
  type QueryTrial,
  triedEvaluation,
  triedQuery,
} from '#server/engines/workflows/trial.ts';
import { checkSchemaText, type SchemaCheck } from './schema-in-thread.ts';

/** What is calculated in threads, by its name in the pool; whoever asks gives each what it takes. */
export const calculations: Readonly<Record<string, (input: unknown) => unknown>> = {
  schema: (input) => checkSchemaText(input as SchemaCheck),
  rendering: (input) => renderedIn(input as TemplateTexts),
  transformation: (input) => {
    const { document, inputs, options } = input as RunGiven;
    return runTransformation(document, inputs, options);
  },
  'transformation task': (input) => {
    const { document, incoming } = input as TaskGiven;
    return transformationOutcome(document, incoming);
  },
  differences: (input) => {
    const { before, after, grain } = input as { before: string; after: string; grain: Grain };
    return differences(before, after, grain);
  },
  // As texts: a hundred thousand lines would take seconds on their way between threads.
  spec: (input) => JSON.stringify(derivedSpec(JSON.parse(input as string) as SpecDerivation)),
  'lines of a spec': (input) => JSON.stringify(checkedLines(JSON.parse(input as string) as LinesCheck)),
  'stale lines': (input) => JSON.stringify(staleChecked(JSON.parse(input as string) as StaleCheck)),
  proposal: (input) => JSON.stringify(calculatedProposal(JSON.parse(input as string) as ProposalSource)),
  preview: (input) => JSON.stringify(previewDiff(JSON.parse(input as string) as PreviewSource)),
  'test of a parser': (input) => JSON.stringify(triedParser(input as ParserTrial)),
  'rules of a template': (input) => JSON.stringify(ruleIssues(JSON.parse(input as string) as RulesCheck)),
  'answers of a device': (input) => JSON.stringify(entriesOf(JSON.parse(input as string) as DeviceAnswers)),
  'comparison of runs': (input) => JSON.stringify(comparedRuns(JSON.parse(input as string) as RunComparison)),
  'compile templates': (input) => (input as Compilable[]).map(compileFaults),
  'text by TextFSM': (input) => recordsOf(input as TextFsmReading),
  'evaluation trial': (input) => triedEvaluation(input as EvaluationTrial),
  'query trial': (input) => triedQuery(input as QueryTrial),
  'spec of a text': (input) => specTextOf(input as SpecSource),
};
