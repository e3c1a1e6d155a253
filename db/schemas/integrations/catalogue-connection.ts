import { z } from 'zod';
import { text } from '../fields.ts';
import { OrchestratorConnection } from '../network/adapter.ts';

/** The answer of a task of an adapter that is not called. */
export const TaskStub = z
  .strictObject({
    finish: z
      .enum(['success', 'failure', 'error'])
      .optional()
      .describe('How the task finishes; absent: success'),
    outgoing: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Its results by name; error: the error, where it finishes so'),
    delay: z.int().min(0).max(60).optional().describe('Seconds until it finishes; absent: 0'),
  })
  .meta({ id: 'TaskStub', description: 'What a task answers instead of being called.' });

/** Answers of the tasks of an adapter that are not called, by their names. */
export const TaskStubs = z.record(z.string(), TaskStub);

/** Settings of an adapter of which only the tasks are known. */
export const CatalogueConnection = OrchestratorConnection.extend({
  provider: z
    .enum(['none', 'rest'])
    .optional()
    .describe(
      'none: calls are an error unless a stub answers them; rest: POST <base path>/<task> with the values',
    ),
  stub: TaskStubs.optional().describe('What tasks answer instead of being called, by their names'),
  host: text('Name or address of the other system, where provider is rest', 'tickets.example.net'),
}).meta({
  id: 'CatalogueConnection',
  description: 'Settings of an adapter of which only the tasks are known.',
});
