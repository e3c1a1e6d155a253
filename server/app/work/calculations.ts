import { type Compilable, compileFaults } from '#server/domains/assets/templates/check.ts';
import { recordsOf } from '#server/domains/assets/textfsm/read.ts';
import { openChecker } from '#server/domains/golden-config/compliance/grading/check.ts';
import type { CheckOrder } from '#server/domains/golden-config/compliance/grading/checkers.service.ts';
import type { ReportDocument } from '#server/domains/golden-config/compliance/overview/report-pdf.service.ts';
import { findLines } from '#server/domains/golden-config/fleet/find-lines.ts';
import { triedParser } from '#server/domains/golden-config/parsers/parser-test.ts';
import { calculatedProposal, previewDiff } from '#server/domains/golden-config/remediation/calculate.ts';
import { type SpecSource, specTextOf } from '#server/domains/golden-config/rule-sources/spec-of-text.ts';
import {
  checkedLines,
  derivedSpec,
  type SpecDerivation,
  staleChecked,
} from '#server/domains/golden-config/trees/derivation-calculations.ts';
import {
  type BundleInput,
  bundledSchemas,
} from '#server/domains/integrations/models/bundle-stored.service.ts';
import { readModel } from '#server/domains/integrations/models/read-model.service.ts';
import {
  comparedRuns,
  entriesOf,
  ruleIssues,
} from '#server/domains/network/command-templates/rules/calculate.ts';
import { triedTemplate } from '#server/domains/network/command-templates/trial.ts';
import { csvRecords, readCsv } from '#server/domains/network/csv/read-csv.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/gateway/command-secrets.ts';
import { ansibleHosts } from '#server/domains/network/sources/ansible.ts';
import { triedEvaluation, triedQuery } from '#server/domains/workflow/definitions/trial.ts';
import {
  type TransformationTaskInputs,
  transformationOutcome,
} from '#server/domains/workflow/transformations/task.ts';
import {
  type RunInputs,
  runTransformation,
} from '#server/domains/workflow/transformations/transformation.ts';
import { calculatedFindings, calculatedSchemas } from '#server/domains/workflow/validation/calculate.ts';
import { checkSchemaText, type SchemaCheck } from '#server/kernel/calculations/schema-in-thread.ts';
import { renderedIn, type TemplateTexts } from '#server/kernel/jinja/rendered.ts';
import { piecesOfText } from '#server/kernel/json/pieces.ts';
import type { TextToMask } from '#server/kernel/secrets/mask-in-thread.ts';
import { maskedText } from '#server/kernel/secrets/masked-answer.ts';
import { differences, type Grain } from '#server/kernel/text/text-differences.ts';
import { storedOpenApi } from './stored-openapi.ts';

/** Wraps a calculation so that its input and output are JSON text. */
const asText =
  <Input>(run: (input: Input) => unknown) =>
  (input: unknown): string =>
    JSON.stringify(run(JSON.parse(input as string) as Input));

const checker = openChecker();

/** The calculations that run in threads, by name; each expects the input that its callers send, and may be asynchronous. */
export const calculations: Readonly<Record<string, (input: unknown) => unknown>> = {
  // Loaded on first use: the generator and what it describes are most of the code.
  openApi: () => storedOpenApi(async () => (await import('#server/http/openapi/document.ts')).openApiText()),
  schema: (input) => checkSchemaText(input as SchemaCheck),
  rendering: (input) => renderedIn(input as TemplateTexts),
  transformation: (input) => {
    const { document, inputs, options } = input as RunInputs;
    return runTransformation(document, inputs, options);
  },
  'transformation task': (input) => {
    const { document, incoming } = input as TransformationTaskInputs;
    return transformationOutcome(document, incoming);
  },
  differences: (input) => {
    const { before, after, grain } = input as { before: string; after: string; grain: Grain };
    return differences(before, after, grain);
  },
  check: (input) => {
    const { tasks, sources } = input as CheckOrder;
    const byHash = new Map(sources.map((source) => [source.sha256, source]));
    return tasks.map((task) => checker.check(task, byHash));
  },
  'spec of a text': (input) => specTextOf(input as SpecSource),
  spec: asText((derivation: SpecDerivation) => derivedSpec(derivation)),
  'lines of a spec': asText(checkedLines),
  'stale lines': asText(staleChecked),
  proposal: asText(calculatedProposal),
  preview: asText(previewDiff),
  'lines of texts': asText(findLines),
  'report as PDF': async (input) => {
    // A seventh of the time in which a thread starts: loaded on first use.
    const { reportPdf } = await import(
      '#server/domains/golden-config/compliance/overview/report-pdf.service.ts'
    );
    return JSON.stringify(await reportPdf(JSON.parse(input as string) as ReportDocument));
  },
  'test of a parser': asText(triedParser),
  'rules of a template': asText(ruleIssues),
  'answers of a device': asText(entriesOf),
  'test of a command template': asText(triedTemplate),
  'hosts of a csv': asText(readCsv),
  'records of a csv': asText(csvRecords),
  'hosts of an ansible inventory': asText(ansibleHosts),
  'comparison of runs': asText(comparedRuns),
  'compile templates': asText((templates: Compilable[]) => templates.map(compileFaults)),
  'text by TextFSM': asText(recordsOf),
  'evaluation trial': asText(triedEvaluation),
  'query trial': asText(triedQuery),
  'schemas of a workflow': asText(calculatedSchemas),
  'findings of a workflow': asText(calculatedFindings),
  'schemas of an integration task': (input) => bundledSchemas(input as BundleInput),
  'masked text': (input) => {
    const { form, text } = input as TextToMask;
    return maskedText(form, text, withoutConfigurationSecrets);
  },
  'pieces of JSON': (input) => piecesOfText(input as Parameters<typeof piecesOfText>[0]),
  'integration model': (text) => readModel(text as string),
};
