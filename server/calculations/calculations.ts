import {
  checkedLines,
  derivedSpec,
  type SpecDerivation,
  staleChecked,
} from '#server/engines/configuration/derivation-calculations.ts';
import { differences, type Grain } from '#server/engines/configuration/differences.ts';
import { triedParser } from '#server/engines/configuration/parser-test.ts';
import { renderedIn, type TemplateTexts } from '#server/engines/jinja/rendered.ts';
import { comparedRuns, entriesOf, ruleIssues } from '#server/engines/mop/calculate.ts';
import { calculatedProposal, previewDiff } from '#server/engines/remediation/calculate.ts';
import { type SpecSource, specTextOf } from '#server/engines/rules/spec-of-text.ts';
import { type Compilable, compileFaults } from '#server/engines/templates/check.ts';
import { recordsOf } from '#server/engines/textfsm/read.ts';
import { type TaskGiven, transformationOutcome } from '#server/engines/transformations/task.ts';
import { type RunGiven, runTransformation } from '#server/engines/transformations/transformation.ts';
import { triedEvaluation, triedQuery } from '#server/engines/workflows/trial.ts';
import { checkSchemaText, type SchemaCheck } from './schema-in-thread.ts';

/** A calculation whose input and output are JSON text. */
const asText =
  <Input>(run: (input: Input) => unknown) =>
  (input: unknown): string =>
    JSON.stringify(run(JSON.parse(input as string) as Input));

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
  'spec of a text': (input) => specTextOf(input as SpecSource),
  spec: asText((asked: SpecDerivation) => derivedSpec(asked)),
  'lines of a spec': asText(checkedLines),
  'stale lines': asText(staleChecked),
  proposal: asText(calculatedProposal),
  preview: asText(previewDiff),
  'test of a parser': asText(triedParser),
  'rules of a template': asText(ruleIssues),
  'answers of a device': asText(entriesOf),
  'comparison of runs': asText(comparedRuns),
  'compile templates': asText((templates: Compilable[]) => templates.map(compileFaults)),
  'text by TextFSM': asText(recordsOf),
  'evaluation trial': asText(triedEvaluation),
  'query trial': asText(triedQuery),
};
