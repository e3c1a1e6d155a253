import { z } from 'zod';
import { Ned } from '#db/schemas/network/ned.ts';
import {
  findDevices,
  listAllNeds,
  listNeds,
  listNedsById,
  noteCall,
  restAction,
  restQuery,
  runAction,
  validateCommit,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, router } from '#server/kernel/procedures.ts';
import { ADMIN, ORCHESTRATOR_READ } from '#server/kernel/roles.ts';
import { optional } from './configuration_manager/requests.ts';

const OneAdapter = z.strictObject({ adapterId: z.string().describe('Name of an orchestrator adapter') });

const Path = z.string().meta({
  description: 'Path below /restconf or /api, with its query',
  examples: ['/restconf/data/vpn:vpn=blue'],
});
const Accept = z.string().meta({
  description: 'Media type of the response; the older names are translated',
  examples: ['application/yang-data+json', 'application/vnd.yang.data+json'],
});
const Content = z.record(z.string(), z.unknown());

const Action = OneAdapter.extend({
  params: z.strictObject({
    path: Path,
    accept: Accept,
    method: optional(z.string()).meta({
      description: 'GET, HEAD, POST, PUT, PATCH or DELETE; absent: POST',
      examples: ['PATCH'],
    }),
    contentType: optional(z.string()).meta({
      description: 'Media type of the body; absent: application/yang-data+json',
      examples: ['application/yang-data+json'],
    }),
  }),
  body: Content.describe('Content to send; {} sends none with POST and DELETE'),
});

const Entry = z.object({
  result: z.string().meta({ description: 'Status of the response', examples: ['204'] }),
  body: z.unknown().optional().describe('Body of the response, when there was one'),
  errors: z
    .array(
      z.object({
        'error-type': z.string().optional(),
        'error-tag': z.string().optional(),
        'error-path': z.string().optional(),
        'error-message': z.string().optional(),
      }),
    )
    .optional()
    .describe('What the orchestrator rejected, and why'),
});

const Instance = z.object({ instance_data: z.unknown().describe('Response of the orchestrator') });

const FoundNed = Ned.extend({
  id: z.string().describe('The same as `ned_id`'),
  adapter: z.string().meta({ description: 'Adapter through which it was found', examples: ['orch-east'] }),
});

const Verdict = z.object({
  isValid: z.boolean().describe('True when the commit would be valid'),
  message: z.string().describe('Why it would not be valid; empty when valid'),
  diff: z.unknown().optional().describe('Changes on devices, when the orchestrator reports them'),
});

const AWAY =
  'An orchestrator that cannot be reached, rejects the credential of the adapter or closes the connection is 502; one that does not respond in time is 504. `reason` of the error has the cause.';

export const orchestratorManager = router({
  restAction: allow(...ADMIN)
    .meta(
      rest('POST', '/orchestrator_manager/restAction/:adapterId', 'Send a request to an orchestrator', {
        description: `Every status of the response except 401 is returned as an entry. ${AWAY}`,
      }),
    )
    .input(Action)
    .output(answer(z.array(Entry)))
    .mutation(
      outward(
        ({ ctx, input }) => restAction(ctx, input.adapterId, input.params, input.body),
        (tx, { adapterId, params }) => noteCall(tx, adapterId, `${params.method ?? 'POST'} ${params.path}`),
      ),
    ),

  restQuery: allow(...ADMIN)
    .meta(
      rest('POST', '/orchestrator_manager/restQuery/:adapterId', 'Read from an orchestrator', {
        effects: true,
        description: `A 404 of the orchestrator is returned as 404, other errors as 502. ${AWAY}`,
      }),
    )
    .input(OneAdapter.extend({ params: z.strictObject({ path: Path, accept: Accept }) }))
    .output(answer(Instance))
    .query(({ ctx, input }) => restQuery(ctx, input.adapterId, input.params)),

  runAction: allow(...ADMIN)
    .meta(
      rest('POST', '/orchestrator_manager/runAction/:adapterId', 'Run an action of an orchestrator', {
        description: AWAY,
      }),
    )
    .input(OneAdapter.extend({ path: Path, body: optional(Content).describe('Input of the action') }))
    .output(answer(Instance))
    .mutation(
      outward(
        ({ ctx, input }) => runAction(ctx, input.adapterId, input.path, input.body ?? {}),
        (tx, { adapterId, path }) => noteCall(tx, adapterId, `POST ${path}`),
      ),
    ),

  getNedsDeep: allow(...ORCHESTRATOR_READ)
    .meta(
      rest(
        'GET',
        '/orchestrator_manager/neds/deep/:adapterId',
        'List the device drivers of an orchestrator',
        {
          description: AWAY,
        },
      ),
    )
    .input(OneAdapter)
    .output(answer(z.array(Ned)))
    .query(({ ctx, input }) => listNeds(ctx, input.adapterId)),

  getNeds: allow(...ORCHESTRATOR_READ)
    .meta(
      rest(
        'GET',
        '/orchestrator_manager/neds/:adapterId',
        'List the device drivers of an orchestrator, by id',
        {
          description: AWAY,
        },
      ),
    )
    .input(OneAdapter)
    .output(answer(z.array(FoundNed)))
    .query(({ ctx, input }) => listNedsById(ctx, input.adapterId)),

  getAllNeds: allow(...ORCHESTRATOR_READ)
    .meta(
      rest('GET', '/orchestrator_manager/allNeds', 'List the device drivers of every orchestrator', {
        description: 'Unreachable orchestrators are omitted, unless none responds.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(z.array(FoundNed)))
    .query(({ ctx }) => listAllNeds(ctx)),

  findDevices: allow(...ORCHESTRATOR_READ)
    .meta(
      rest('GET', '/orchestrator_manager/devices/:substring', 'Find devices of the orchestrators by name', {
        description: 'Unreachable orchestrators are omitted, unless none responds.',
      }),
    )
    .input(z.strictObject({ substring: z.string().describe('Text in the name; case is ignored') }))
    .output(answer(z.array(z.string())))
    .query(({ ctx, input }) => findDevices(ctx, input.substring)),

  validateCommit: allow(...ADMIN)
    .meta(
      rest('POST', '/orchestrator_manager/validateCommit', 'Validate service data without committing it', {
        description: `Uses the orchestrator adapter that is marked default, else the only one that is running; none or several: 409. ${AWAY}`,
        errorResponses: { 409: 'No orchestrator adapter exists, or the choice is ambiguous.' },
      }),
    )
    .input(
      z.strictObject({
        servicePath: z.string().meta({
          description: 'Path of the service: RESTCONF or a keypath',
          examples: ['/vpn:vpn', '/restconf/data/vpn:vpn=blue', '/vpn:vpn{blue}'],
        }),
        serviceData: Content.describe('The instance, by itself or under the name of its list'),
      }),
    )
    .output(answer(Verdict))
    .query(({ ctx, input }) => validateCommit(ctx, input.servicePath, input.serviceData)),
});
