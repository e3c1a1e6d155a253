import { z } from 'zod';
import { Application, ApplicationEntry } from '#db/schemas/operations/application.ts';
import { logLevelFields } from '#db/schemas/operations/logger-props.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  getApplication,
  getApplicationSchema,
  listApplications,
  rejectNewApplication,
  setLogLevel,
  setRunning,
  updateApplication,
  updateApplicationProperties,
} from '#server/domains/operations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';

const OneApplication = z.strictObject({ name: z.string().describe('Name of the application') });

const UpdateApplicationRequest = OneApplication.extend({
  properties: Application.partial().describe('Fields to replace; omitted fields are kept'),
});

const Settings = z
  .looseObject({ id: z.string().optional().describe('Name of the application; it cannot change') })
  .describe('Settings that replace stored ones');

const Done = z.object({ status: z.literal('success'), message: z.string() });
const Updated = z.object({ status: z.literal('OK'), message: z.string(), data: Application });

export const applications = router({
  getApplications: allow(...CONFIG_READ)
    .meta(rest('GET', '/applications', 'List applications'))
    .input(z.strictObject({ queryOptions: listQuery({}).optional() }))
    .output(answer(z.object({ results: z.array(ApplicationEntry), total: z.int() })))
    .query(({ ctx, input }) => listApplications(ctx, input.queryOptions ?? {})),

  getApplication: allow(...CONFIG_READ)
    .meta(rest('GET', '/applications/:name', 'Read an application'))
    .input(OneApplication)
    .output(answer(ApplicationEntry))
    .query(({ ctx, input }) => getApplication(ctx, input.name)),

  getApplicationSchema: allow(...CONFIG_READ)
    .meta(rest('GET', '/schema/applications/:name', 'The JSON schema of an application'))
    .input(OneApplication)
    .output(answer(z.record(z.string(), z.unknown())))
    .query(({ ctx, input }) => getApplicationSchema(ctx, input.name)),

  createApplication: allow(...ADMIN)
    .meta(rest('POST', '/applications', 'Always rejected: applications are built in'))
    .input(z.strictObject({ properties: z.unknown().optional().describe('Anything') }))
    .output(answer(Updated))
    .mutation(write(() => rejectNewApplication())),

  startApplication: allow(...ADMIN)
    .meta(rest('PUT', '/applications/:name/start', 'Start an application in every process'))
    .input(OneApplication)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => setRunning(ctx, input.name, 'start'))),

  stopApplication: allow(...ADMIN)
    .meta(
      rest('PUT', '/applications/:name/stop', 'Stop an application in every process', {
        description: 'Its endpoints return 503 until it is started again.',
      }),
    )
    .input(OneApplication)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => setRunning(ctx, input.name, 'stop'))),

  restartApplication: allow(...ADMIN)
    .meta(rest('PUT', '/applications/:name/restart', 'Restart an application in every process'))
    .input(OneApplication)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => setRunning(ctx, input.name, 'restart'))),

  updateApplication: allow(...ADMIN)
    .meta(rest('PUT', '/applications/:name', 'Replace fields of an application'))
    .input(UpdateApplicationRequest)
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => updateApplication(ctx, input.name, input.properties))),

  updateApplicationProperties: allow(...ADMIN)
    .meta(rest('PUT', '/applications/:name/properties', 'Change settings of an application'))
    .input(OneApplication.extend({ properties: Settings }))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => updateApplicationProperties(ctx, input.name, input.properties))),

  setLogLevel: allow(...ADMIN)
    .meta(
      rest('PUT', '/applications/:name/loglevel', 'Set the log level of an application', {
        description: 'Accepts `{"properties":{"level","transport"}}` or `{"loglevel","transport"}`.',
      }),
    )
    .input(OneApplication.extend(logLevelFields))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => setLogLevel(ctx, input.name, input))),
});
