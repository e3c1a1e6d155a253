import { differences, type Grain } from '#server/engines/configuration/differences.ts';
import { renderedIn, type TemplateTexts } from '#server/engines/jinja/rendered.ts';
import { type SpecSource, specTextOf } from '#server/engines/rules/spec-of-text.ts';
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
  'evaluation trial': (input) => triedEvaluation(input as EvaluationTrial),
  'query trial': (input) => triedQuery(input as QueryTrial),
  'spec of a text': (input) => specTextOf(input as SpecSource),
};
