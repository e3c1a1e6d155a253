import { z } from 'zod';
import { flag, record, text, texts } from '../fields.ts';
import { TaskStubs } from '../integrations/catalogue-connection.ts';
import { FaceSettings } from '../integrations/face.ts';

const milliseconds = (description: string, example: number) =>
  z
    .int()
    .min(50)
    .max(600_000)
    .optional()
    .meta({ description, examples: [example] });

const count = (least: number, most: number, description: string, example: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .optional()
    .meta({ description, examples: [example] });

/** How the further pages of a list are found. */
const PagingSettings = z.discriminatedUnion('style', [
  z.looseObject({ style: z.literal('link').describe('The header Link with rel=next (RFC 8288)') }),
  z.looseObject({
    style: z
      .literal('cursor')
      .describe('A value in the answer becomes a query parameter, or is the next URL'),
    from: z.string().min(1).describe('Path of the value in the answer: `meta.next`, or a JSON pointer'),
    parameter: z.string().min(1).describe('Name of the query parameter'),
    list: text('Path of the list in the answer; absent: the answer itself, or its only list', 'results'),
  }),
  z.looseObject({
    style: z.literal('offset').describe('A query parameter counts the elements before the page'),
    start: z.string().min(1).describe('Name of the query parameter for the offset'),
    size: text('Name of the query parameter for the size of a page', 'limit'),
    list: text('Path of the list in the answer; absent: the answer itself, or its only list', 'results'),
  }),
]);

/** The connection of an integration (docs/integrations.md); secrets are returned masked. */
export const IntegrationConnection = z
  .looseObject({
    server: z
      .looseObject({
        protocol: z.enum(['http', 'https']).optional().describe('Protocol to speak; absent: https'),
        host: text(
          'Name or address of the other system; it must be set before the first call',
          'netbox.example.net',
        ),
        port: z.int().min(1).max(65535).optional().describe('TCP port; absent: that of the protocol'),
        base_path: text('Path below which the operations are', '/api'),
      })
      .optional()
      .describe('Where the other system is'),
    variables: record('Values of server variables, and other values that are kept'),
    authentication: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .optional()
      .describe(
        'Credentials by the name of the security scheme: {value}, {username, password}, {token}, or {client_id, client_secret, token_url, …}',
      ),
    tls: z
      .looseObject({
        enabled: flag('True speaks TLS'),
        rejectUnauthorized: flag('True rejects certificates that cannot be verified'),
        ca: text('Certificates to trust, PEM text; empty: those of the system'),
        cert: text('Certificate to present, PEM text; empty: none'),
        key: text('Its private key, PEM text; write-only, read as ********'),
        serverName: text('Name that the certificate is for, when it is not the host', 'netbox.example.net'),
      })
      .optional()
      .describe('Encryption of the connection'),
    timeouts: z
      .looseObject({
        connect: milliseconds('Time to connect, in milliseconds', 10_000),
        request: milliseconds('Time for a request with the wait for its turn, in milliseconds', 60_000),
      })
      .optional()
      .describe('Time limits'),
    maxConcurrent: count(1, 64, 'Requests under way at once, over all processes', 8),
    rateLimit: z
      .looseObject({
        requests: z.int().min(1).max(100_000).describe('Requests within the period, at most'),
        perSeconds: z.number().min(1).max(86_400).describe('Length of the period, in seconds'),
      })
      .optional()
      .describe('Rate of requests, over all processes'),
    retry: z
      .looseObject({
        attempts: count(1, 10, 'Attempts of a call, at most', 3),
        statuses: z.array(z.int().min(400).max(599)).optional().describe('Statuses that are tried again'),
        maxDelayMs: z.int().min(0).max(300_000).optional().describe('Longest delay, in milliseconds'),
      })
      .optional()
      .describe('When a call is repeated'),
    idempotencyHeader: text('Header that carries the key of the attempt', 'Idempotency-Key'),
    reads: texts('Names of operations that only read, whatever their method', ['search']),
    headers: record('Headers that are sent with every call'),
    query: record('Query parameters that are sent with every call'),
    security: texts('Security schemes for operations that name none', ['tokenAuth']),
    paging: PagingSettings.optional().describe('How the further pages of lists are found'),
    followRedirects: flag('True follows up to 3 redirects of GET on the same origin'),
    maxAnswerMiB: count(1, 64, 'Largest answer, in MiB', 8),
    validate: z
      .enum(['strict', 'off'])
      .optional()
      .describe(
        'strict checks values, before they are sent, and answers against the schemas of the document',
      ),
    version: text('Version of the model', '4.1'),
    face: FaceSettings.optional().describe(
      'The adapter type whose tasks the integration carries out besides its own',
    ),
    stub: TaskStubs.optional().describe('What tasks answer instead of being called, by their names'),
  })
  .meta({ id: 'IntegrationConnection', description: 'How an integration reaches the other system.' });
export type IntegrationConnection = z.infer<typeof IntegrationConnection>;
