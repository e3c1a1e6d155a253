import { randomBytes } from 'node:crypto';
import {
  type Answer,
  announce,
  type Call,
  inPath,
  openJsonService,
  operation,
  pageOf,
} from './json-service.ts';

/*
 * A small ticket system, as a process of its own: `node --import tsx test/lab/tickets.ts`. Change requests are the records of a
 * table. A POST that repeats the `Idempotency-Key` of an earlier one makes no second ticket.
 * Prints a line of JSON.
 */

const ACCOUNT = { username: 'switchyard', password: 'Ticket-Desk-58' };

const STATES = ['open', 'on_hold', 'closed'];
const TEXTS = ['short_description', 'cmdb_ci', 'state', 'work_notes', 'close_notes'] as const;

type Ticket = Record<(typeof TEXTS)[number], string> & {
  sys_id: string;
  number: string;
  opened_at: string;
  closed_at: string;
};

const tickets: Ticket[] = [];
const byKey = new Map<string, Ticket>();
/** Most tickets that it keeps: the oldest go first. */
const MOST_TICKETS = 10_000;
let serial = 30_000;

const FIELDS = {
  type: 'object',
  properties: {
    ...Object.fromEntries(TEXTS.map((name) => [name, { type: 'string', maxLength: 4000 }])),
    state: { type: 'string', enum: STATES },
  },
  additionalProperties: false,
};

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Lab Tickets', version: '1.0', description: 'Change requests of the lab' },
  servers: [{ url: 'http://127.0.0.1/api/table' }],
  components: { securitySchemes: { account: { type: 'http', scheme: 'basic' } } },
  security: [{ account: [] }],
  paths: {
    '/change_request': {
      get: operation('listChangeRequests', 'Change requests, of a device or a state', {
        query: ['cmdb_ci', 'state', 'limit', 'offset'],
        'x-paging': { style: 'offset', start: 'offset', size: 'limit', list: 'result' },
      }),
      post: operation('createChangeRequest', 'Opens a change request', {
        body: { ...FIELDS, required: ['short_description'] },
        status: 201,
      }),
    },
    '/change_request/{sys_id}': {
      ...inPath('sys_id', 'string'),
      get: operation('getChangeRequest', 'A change request'),
      patch: operation('updateChangeRequest', 'Changes fields of a change request', { body: FIELDS }),
    },
  },
};

const reject = (status: number, message: string, detail = ''): Answer => ({
  status,
  body: { error: { message, detail }, status: 'failure' },
});
const NO_RECORD = reject(404, 'No Record found', 'The record does not exist');

const ticketOf = ({ parts: [id] }: Call) => tickets.find(({ sys_id }) => sys_id === id);

/** Returns the answer to fields that are unknown, no text or no state; undefined: all are valid. */
function rejectionOf(fields: Record<string, unknown>): Answer | undefined {
  const wrong = Object.entries(fields).find(
    ([name, value]) =>
      !TEXTS.some((known) => known === name) || typeof value !== 'string' || value.length > 4000,
  );
  if (wrong)
    return reject(400, 'Invalid field', `${wrong[0]} is unknown, or no text of at most 4000 characters`);
  const { state } = fields;
  if (state !== undefined && !STATES.some((known) => known === state))
    return reject(400, 'Invalid state', `state is one of ${STATES.join(', ')}`);
  return undefined;
}

function create({ headers, body }: Call): Answer {
  const key = String(headers['idempotency-key'] ?? '');
  const before = byKey.get(key);
  if (before) return { status: 200, body: { result: before } };
  const wrong = rejectionOf(body);
  if (wrong) return wrong;
  if (!body.short_description) return reject(400, 'Missing field', 'short_description is mandatory');
  serial += 1;
  const ticket: Ticket = {
    sys_id: randomBytes(16).toString('hex'),
    number: `CHG00${serial}`,
    short_description: '',
    cmdb_ci: '',
    work_notes: '',
    close_notes: '',
    ...body,
    state: 'open',
    opened_at: new Date().toISOString(),
    closed_at: '',
  };
  tickets.push(ticket);
  if (key) byKey.set(key, ticket);
  if (tickets.length > MOST_TICKETS) {
    const oldest = tickets.shift();
    for (const [name, one] of byKey) if (one === oldest) byKey.delete(name);
  }
  return { status: 201, body: { result: ticket } };
}

function update(call: Call): Answer {
  const ticket = ticketOf(call);
  if (!ticket) return NO_RECORD;
  const wrong = rejectionOf(call.body);
  if (wrong) return wrong;
  if (ticket.state === 'closed') return reject(403, 'Operation Failed', `${ticket.number} is closed`);
  const isClosing = call.body.state === 'closed';
  if (isClosing && !call.body.close_notes)
    return reject(400, 'Missing field', 'close_notes is mandatory to close a change request');
  Object.assign(ticket, call.body, isClosing && { closed_at: new Date().toISOString() });
  return { status: 200, body: { result: ticket } };
}

const table = /^\/api\/table\/change_request$/;
const record = /^\/api\/table\/change_request\/([0-9a-f]{32})$/;
const port = await openJsonService({
  document: DOCUMENT,
  documentPath: '/api/openapi.json',
  authorization: `Basic ${Buffer.from(`${ACCOUNT.username}:${ACCOUNT.password}`).toString('base64')}`,
  reject,
  routes: [
    {
      method: 'GET',
      path: table,
      run: ({ query }) => {
        const device = query.get('cmdb_ci');
        const state = query.get('state');
        const found = tickets.filter(
          (ticket) => (!device || ticket.cmdb_ci === device) && (!state || ticket.state === state),
        );
        return { status: 200, body: { result: pageOf(found, query).page } };
      },
    },
    { method: 'POST', path: table, run: create },
    {
      method: 'GET',
      path: record,
      run: (call) => {
        const ticket = ticketOf(call);
        return ticket ? { status: 200, body: { result: ticket } } : NO_RECORD;
      },
    },
    { method: 'PATCH', path: record, run: update },
  ],
});
announce({ port, ...ACCOUNT });
