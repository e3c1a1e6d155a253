import { z } from 'zod';
import { Job } from '#db/schemas/workflow/job.ts';
import { runEndpointTrigger, runManualTrigger, runScheduleTrigger } from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { JOB_START } from '#server/kernel/roles.ts';
import { One } from './answers.ts';

const id = z.string().meta({ description: 'Id of the trigger', examples: ['65f0c1d2e3a4b5c6d7e8f904'] });

const errorResponses = {
  409: 'The trigger is disabled, or the workflow is a draft: its errors are the issues',
  422: 'The trigger has another type, or its automation or workflow no longer exists',
} as const;

export const runs = {
  runManualTrigger: allow(...JOB_START)
    .meta(
      rest('POST', '/operations-manager/triggers/manual/:id/run', 'Run the automation of a manual trigger', {
        description: 'Returns as soon as the job is stored.',
        errorResponses,
      }),
    )
    .input(
      z.strictObject({
        id,
        formData: z.record(z.string(), z.unknown()).meta({
          description: 'Values of the form, which become job variables',
          examples: [{ device: 'edge-1' }],
        }),
      }),
    )
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => runManualTrigger(ctx, input.id, input.formData))),

  runEndpointTrigger: allow(...JOB_START)
    .meta(
      rest(
        'POST',
        '/operations-manager/triggers/endpoint/:routeName',
        'Call the route of an endpoint trigger',
        {
          bare: 'endpointBody',
          description: 'The body is any object; a missing body is an empty object.',
          errorResponses: {
            404: 'No enabled trigger has this route',
            409: 'The workflow is a draft',
            422: 'The automation of the trigger, or its workflow, no longer exists',
          },
        },
      ),
    )
    .input(
      z.strictObject({
        routeName: z.string().meta({ description: 'Route of the trigger', examples: ['upgrade-ios'] }),
        endpointBody: z
          .record(z.string(), z.unknown())
          .prefault({})
          .meta({ description: 'Data for the job', examples: [{ device: 'edge-1' }] }),
      }),
    )
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => runEndpointTrigger(ctx, input.routeName, input.endpointBody))),

  runScheduleTrigger: allow(...JOB_START)
    .meta(
      rest('POST', '/operations-manager/triggers/schedule/:id/run', 'Run a schedule now', {
        description: 'The next scheduled run does not change.',
        errorResponses,
      }),
    )
    .input(z.strictObject({ id }))
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => runScheduleTrigger(ctx, input.id))),
};
