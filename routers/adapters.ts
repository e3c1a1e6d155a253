import { z } from 'zod';
import { Adapter, AdapterChange, AdapterEntry } from '#db/schemas/network/adapter.ts';
import { logLevelFields } from '#db/schemas/operations/logger-props.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import {
  createAnyAdapter,
  getAnyConnectionSchema,
  replaceAnyAdapter,
  syncAnyAdapter,
  testAnyAdapter,
  updateAnyConnection,
} from '#server/domains/integrations/index.ts';
import {
  deleteAdapter,
  exportAdapter,
  getAdapter,
  listAdapterChanges,
  listAdapters,
  listModels,
  mapBrokers,
  noteCall,
  setAdapterLogLevel,
  setAdapterRunning,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { adapterCatalogues } from './adapter_catalogues.ts';
import { adapterLog, adapterPackages } from './adapter_packages.ts';

const OneAdapter = z.strictObject({ name: z.string().describe('Name of the adapter') });
// Clients send null for each absent field, at any depth.
const NewAdapter = z.strictObject({ properties: imported(Adapter).describe('The adapter') });

const Settings = z
  .record(z.string(), z.unknown())
  .describe('Fields of the connection that replace stored ones; null removes a field');

const Created = z.object({
  status: z.literal('Created'),
  message: z.string().describe('What was done, and which secrets still have to be set'),
  data: Adapter,
});
const Updated = z.object({ status: z.literal('OK'), message: z.string(), data: Adapter });
const DoneMessage = z.object({ status: z.literal('OK'), message: z.string() });
const Done = z.object({ status: z.literal('success'), message: z.string() });

const ListAdapters = listQuery({
  skipActiveSync: z.boolean().optional().describe('True omits `activeSync` from the response'),
});

const Tried = z.object({
  ok: z.boolean().describe('Whether the adapter target responds and accepts the credential'),
  latencyMs: z.number().describe('Duration in milliseconds'),
  detail: z.string().meta({ description: 'The error, in words', examples: ['It answers'] }),
});

const count = (description: string) => z.int().min(0).describe(description);
const Synced = Done.extend({
  data: z
    .object({
      added: count('Added devices'),
      removed: count('Devices that the orchestrator no longer has'),
      unchanged: count('Unchanged devices'),
      changed: count('Changed devices'),
    })
    .describe('Result for its devices'),
});

const MASKED =
  'Secrets are shown as `********`. Sending the mask back keeps the stored secret; null or "" clears it. When host, port or protocol changes, the secrets must be sent again.';

export const adapters = router({
  listAdapters: allow(...CONFIG_READ)
    .meta(rest('GET', '/adapters', 'List adapters', { description: MASKED }))
    .input(z.strictObject({ queryOptions: ListAdapters.optional() }))
    .output(answer(z.object({ results: z.array(AdapterEntry), total: z.int() })))
    .query(({ ctx, input }) => listAdapters(ctx, input.queryOptions ?? {})),

  getAdapter: allow(...CONFIG_READ)
    .meta(rest('GET', '/adapters/:name', 'Read an adapter', { description: MASKED }))
    .input(OneAdapter)
    .output(answer(AdapterEntry))
    .query(({ ctx, input }) => getAdapter(ctx, input.name)),

  exportAdapter: allow(...CONFIG_READ)
    .meta(rest('GET', '/adapters/:name/export', 'Export an adapter, without its secrets'))
    .input(OneAdapter)
    .output(answer(Adapter))
    .query(({ ctx, input }) => exportAdapter(ctx, input.name)),

  createAdapter: allow(...ADMIN)
    .meta(rest('POST', '/adapters', 'Create an adapter and start it'))
    .input(NewAdapter)
    .output(answer(Created))
    .mutation(write(({ ctx, input }) => createAnyAdapter(ctx, input.properties))),

  importAdapter: allow(...ADMIN)
    .meta(
      rest('POST', '/adapters/import', 'Import an exported adapter', {
        description: 'Masked secrets are not set, and are listed in the message.',
        bodyLimit: 'import',
      }),
    )
    .input(NewAdapter)
    .output(answer(Created))
    .mutation(write(({ ctx, input }) => createAnyAdapter(ctx, input.properties))),

  replaceAdapter: allow(...ADMIN)
    .meta(
      rest('PUT', '/adapters/:name', 'Replace an adapter; its name and model cannot change', {
        description: MASKED,
      }),
    )
    .input(OneAdapter.extend(NewAdapter.shape))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => replaceAnyAdapter(ctx, input.name, input.properties))),

  updateProperties: allow(...ADMIN)
    .meta(
      rest('PUT', '/adapters/:name/properties', 'Change the connection of an adapter', {
        description: MASKED,
      }),
    )
    .input(OneAdapter.extend({ properties: Settings }))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => updateAnyConnection(ctx, input.name, input.properties))),

  setLogLevel: allow(...ADMIN)
    .meta(
      rest('PUT', '/adapters/:name/loglevel', 'Set the log level of an adapter', {
        description: 'Accepts `{"properties":{"level","transport"}}` or `{"loglevel","transport"}`.',
      }),
    )
    .input(OneAdapter.extend(logLevelFields))
    .output(answer(DoneMessage))
    .mutation(write(({ ctx, input }) => setAdapterLogLevel(ctx, input.name, input))),

  startAdapter: allow(...ADMIN)
    .meta(rest('PUT', '/adapters/:name/start', 'Start an adapter in every process'))
    .input(OneAdapter)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => setAdapterRunning(ctx, input.name, 'start'))),

  stopAdapter: allow(...ADMIN)
    .meta(
      rest('PUT', '/adapters/:name/stop', 'Stop an adapter in every process', {
        description:
          'Calls through the adapter return 409 until it is started again; calls in progress finish.',
      }),
    )
    .input(OneAdapter)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => setAdapterRunning(ctx, input.name, 'stop'))),

  restartAdapter: allow(...ADMIN)
    .meta(rest('PUT', '/adapters/:name/restart', 'Restart an adapter in every process'))
    .input(OneAdapter)
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => setAdapterRunning(ctx, input.name, 'restart'))),

  deleteAdapter: allow(...ADMIN)
    .meta(
      rest('DELETE', '/adapters/:name', 'Delete an adapter', {
        description: 'Devices that only this adapter reports are deleted as well.',
        errorResponses: {
          403: 'The adapter is built in.',
          409: 'Devices that only this adapter reports are assigned to nodes of trees.',
        },
      }),
    )
    .input(
      OneAdapter.extend({
        force: z
          .boolean()
          .optional()
          .describe('True: also when devices of the adapter are assigned to nodes of trees'),
      }),
    )
    .output(answer(DoneMessage))
    .mutation(write(({ ctx, input }) => deleteAdapter(ctx, input.name, input.force ?? false))),

  listChanges: allow(...CONFIG_READ)
    .meta(
      rest(
        'GET',
        '/adapters/:name/changelogs',
        'Changes of an adapter with account and fields, newest first',
      ),
    )
    .input(OneAdapter)
    .output(answer(z.array(AdapterChange)))
    .query(({ ctx, input }) => listAdapterChanges(ctx, input.name)),

  mapBrokers: allow(...CONFIG_READ)
    .meta(rest('GET', '/adapters/brokers/mapping', 'The adapters used for each kind of work'))
    .input(z.strictObject({}))
    .output(answer(z.record(z.string(), z.array(z.string()))))
    .query(({ ctx }) => mapBrokers(ctx)),

  testAdapter: allow(...ADMIN)
    .meta(
      rest('POST', '/adapters/:name/test', 'Test the connection of an adapter; nothing is stored', {
        description: 'With `properties`, tests the stored connection with these fields replaced.',
      }),
    )
    .input(OneAdapter.extend({ properties: Settings.optional() }))
    .output(answer(Tried))
    .mutation(
      outward(
        ({ ctx, input }) => testAnyAdapter(ctx, input.name, input.properties),
        (tx, { name }) => noteCall(tx, name, 'test'),
      ),
    ),

  syncAdapter: allow(...ADMIN)
    .meta(
      rest('POST', '/adapters/:name/sync', 'Read the devices of an orchestrator or a package', {
        description:
          'They become devices of the platform, with the adapter as their origin. The devices of a running adapter are also read every 15 minutes.',
        errorResponses: {
          502: 'The orchestrator rejected the call or closed the connection; the known devices are kept.',
          504: 'The orchestrator did not respond in time; the known devices are kept.',
        },
      }),
    )
    .input(OneAdapter)
    .output(answer(Synced))
    .mutation(
      outward(
        ({ ctx, input }) => syncAnyAdapter(ctx, input.name),
        (tx, { name }) => noteCall(tx, name, 'sync'),
      ),
    ),

  getConnectionSchema: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/schema/adapters/:name', 'The JSON schema of a connection', {
        description: 'By the name of an adapter, or of a model.',
      }),
    )
    .input(OneAdapter)
    .output(answer(z.record(z.string(), z.unknown())))
    .query(({ ctx, input }) => getAnyConnectionSchema(ctx, input.name)),

  ...adapterLog,
});

export const adapterModels = router({
  ...adapterCatalogues,
  ...adapterPackages,

  listModels: allow(...CONFIG_READ)
    .meta(rest('GET', '/adapter-models/types', 'List the models of adapters'))
    .input(z.strictObject({}))
    .output(answer(z.object({ adapterModels: z.array(z.string()), total: z.int() })))
    .query(() => listModels()),
});
