import type { Program } from './program.ts';
import type { Send } from './seed-fleet.ts';

/*
 * The CMDB and the ticket system of the lab as integrations, and a workflow that works with both and with a device.
 */

const CMDB = 'Lab CMDB:1.0';
const TICKETS = 'Lab Tickets:1.0';

/** The project of the workflow, and the workflow in it. */
const PROJECT = 'Change with ticket';
const WORKFLOW = 'Set the time server';

/**
 * Stores the documents of both systems as models, connects an integration to each, and adds the workflow.
 *
 * @throws Error when a request is rejected
 */
export async function seedSystems(send: Send, cmdb: Program, tickets: Program): Promise<void> {
  const { username, password } = tickets.reported;
  await addIntegration(send, {
    name: 'cmdb',
    type: CMDB,
    document: await documentAt(cmdb, '/api/schema/'),
    connection: {
      ...serverOf(cmdb, '/api'),
      authentication: { tokenAuth: { value: `Token ${cmdb.reported.password}` } },
    },
  });
  await addIntegration(send, {
    name: 'tickets',
    type: TICKETS,
    document: await documentAt(tickets, '/api/openapi.json'),
    connection: {
      ...serverOf(tickets, '/api/table'),
      authentication: { account: { username, password } },
      idempotencyHeader: 'Idempotency-Key',
    },
  });
  const { created } = await send<{ created: { _id: string; errors: unknown[] } }>(
    'POST',
    '/automation-studio/automations',
    { automation: CHANGE },
  );
  if (created.errors.length > 0)
    throw new Error(`${WORKFLOW} is not valid: ${JSON.stringify(created.errors)}`);
  const { data } = await send<{ data: { _id: string } }>('POST', '/automation-studio/projects', {
    name: PROJECT,
    description: 'Changes a device, with a ticket and a record in the CMDB',
  });
  await send('POST', `/automation-studio/projects/${data._id}/components/add`, {
    mode: 'move',
    components: [{ type: 'workflow', reference: created._id }],
  });
}

async function documentAt({ reported }: Program, path: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${reported.port}${path}`);
  if (!answer.ok) throw new Error(`the document at ${path} answered ${answer.status}`);
  return answer.json();
}

const serverOf = ({ reported }: Program, base_path: string) => ({
  server: { protocol: 'http', host: '127.0.0.1', port: reported.port, base_path },
  tls: { enabled: false },
});

async function addIntegration(
  send: Send,
  { name, type, document, connection }: { name: string; type: string; document: unknown; connection: object },
): Promise<void> {
  await send('POST', '/integration-models', { model: document });
  await send('POST', '/integrations', {
    properties: {
      name,
      type: 'Adapter',
      virtual: true,
      properties: { id: name, type, properties: connection },
    },
  });
}

type Values = Record<string, unknown>;

/** A task of the platform; its error is kept in the variable `failure`. */
const task = (app: string, name: string, incoming: Values, outgoing: Values) => ({
  name,
  app,
  location: 'Application',
  locationType: null,
  type: 'automatic',
  variables: { incoming, outgoing, error: '$var.job.failure' },
});

/** A call of one of the two systems. */
const call = (app: string, adapter_id: string, name: string, incoming: Values) => ({
  ...task(app, name, { ...incoming, adapter_id }, { response: null }),
  location: 'Adapter',
  locationType: app,
});
const cmdb = (name: string, incoming: Values) => call(CMDB, 'cmdb', name, incoming);
const tickets = (name: string, incoming: Values) => call(TICKETS, 'tickets', name, incoming);

const engine = (name: string, incoming: Values, outgoing: Values) =>
  task('WorkFlowEngine', name, incoming, outgoing);

/** An object of values of the job (`job.device`), of tasks (`a1.response`) and of texts (`=closed`). */
const objectOf = (members: Record<string, string>) =>
  engine(
    'merge',
    {
      data_to_merge: Object.entries(members).map(([key, from]) => {
        const [of = '', variable] = from.split('.');
        return { key, value: from.startsWith('=') ? fixed(from.slice(1)) : { task: of, variable } };
      }),
    },
    { merged_object: null },
  );
const fixed = (value: string) => ({ task: 'static', variable: value });

const pick = (obj: string, query: string, into: string | null = null) =>
  engine('query', { obj, query, pass_on_null: false }, { return_data: into });

const to = (state: string) => ({ type: 'standard', state });

/** Steps that may fail once the ticket is open, in order. */
const STEPS = {
  b1: task(
    'ConfigurationManager',
    'backUpDevice',
    { name: '$var.job.device', options: { description: 'before a change with a ticket' } },
    { status: null },
  ),
  b2: engine('stringConcat', { str: 'ntp server ', stringN: '$var.job.server' }, { combinedStrings: null }),
  b3: task(
    'AGManager',
    'itential_netmiko_set_config',
    { _hosts: '$var.job.device', lines: '$var.b2.combinedStrings' },
    { stdout: null },
  ),
  b4: engine(
    'evaluation',
    {
      all_true_flag: true,
      evaluation_groups: [
        {
          all_true_flag: true,
          evaluations: [
            {
              operand_1: { task: 'b3', variable: 'stdout' },
              query: 'completed[0].response[0].status',
              operator: '==',
              operand_2: fixed('SUCCESS'),
            },
          ],
        },
      ],
    },
    { return_value: null },
  ),
  c1: cmdb('dcim_devices_list', { name: '$var.job.device' }),
  c2: pick('$var.c1.response', 'body.results[0].id'),
  c3: objectOf({ ntp_server: 'job.server', change: 'job.number' }),
  c4: objectOf({ custom_fields: 'c3.merged_object', comments: '=Changed by a workflow' }),
  c5: cmdb('dcim_devices_partial_update', {
    id: '$var.c2.return_data',
    requestBodyPayload: '$var.c4.merged_object',
  }),
};

const steps = Object.keys(STEPS);

/**
 * Opens a ticket; backs the device up, changes it and the record in the CMDB; closes the ticket. What fails in between is
 * written to the ticket, which then stays on hold. Without a ticket there is nothing to write to: the job stops.
 */
const CHANGE = {
  name: WORKFLOW,
  description: 'Sets the time server of a device, with a ticket and a record in the CMDB',
  tasks: {
    workflow_start: { name: 'workflow_start' },
    workflow_end: { name: 'workflow_end' },
    a1: engine(
      'stringConcat',
      { str: 'Set the time server of ', stringN: '$var.job.device' },
      { combinedStrings: null },
    ),
    a2: objectOf({ short_description: 'a1.combinedStrings', cmdb_ci: 'job.device' }),
    a3: tickets('createChangeRequest', { requestBodyPayload: '$var.a2.merged_object' }),
    a4: pick('$var.a3.response', 'body.result.number', '$var.job.number'),
    a5: pick('$var.a3.response', 'body.result.sys_id', '$var.job.ticket'),
    ...STEPS,
    d1: objectOf({ state: '=closed', close_notes: '=The device and the CMDB have the new time server' }),
    d2: tickets('updateChangeRequest', {
      sys_id: '$var.job.ticket',
      requestBodyPayload: '$var.d1.merged_object',
    }),
    e1: pick('$var.job.failure', 'message', '$var.job.note'),
    e2: pick('$var.b3.stdout', 'completed[0].response[0].stdout', '$var.job.note'),
    e3: engine('newVariable', { name: 'note', value: 'The CMDB has no such device' }, { value: null }),
    e4: objectOf({ state: '=on_hold', work_notes: 'job.note' }),
    e5: tickets('updateChangeRequest', {
      sys_id: '$var.job.ticket',
      requestBodyPayload: '$var.e4.merged_object',
    }),
  },
  transitions: {
    workflow_start: { a1: to('success') },
    a1: { a2: to('success') },
    a2: { a3: to('success') },
    a3: { a4: to('success') },
    a4: { a5: to('success') },
    a5: { b1: to('success') },
    ...Object.fromEntries(
      steps.map((id, index) => [id, { [steps[index + 1] ?? 'd1']: to('success'), e1: to('error') }]),
    ),
    b4: { c1: to('success'), e1: to('error'), e2: to('failure') },
    c2: { c3: to('success'), e1: to('error'), e3: to('failure') },
    d1: { d2: to('success'), e1: to('error') },
    d2: { workflow_end: to('success'), e1: to('error') },
    e1: { e4: to('success') },
    e2: { e4: to('success') },
    e3: { e4: to('success') },
    e4: { e5: to('success') },
    e5: { workflow_end: to('success') },
  },
};
