import { z } from 'zod';
import { flag, number, record, text, texts } from '../fields.ts';
import { Activity } from '../operations/application.ts';
import { LoggerProps } from '../operations/logger-props.ts';

/** The connection to an orchestrator (contract/lifecycle#orchestrator-connection); secrets are returned masked. */
export const OrchestratorConnection = z
  .looseObject({
    default: flag('True: validating a commit uses this orchestrator when there are several'),
    protocol: z.enum(['http', 'https']).optional().describe('Protocol to speak'),
    host: text('Name or address of the orchestrator', 'orch.example.net'),
    port: z.int().min(1).max(65535).optional().describe('TCP port of the orchestrator'),
    base_path: text('Base path of RESTCONF', '/restconf'),
    authentication: z
      .looseObject({
        auth_method: z
          .enum(['basic', 'token'])
          .optional()
          .describe('basic sends username and password, token sends the token'),
        username: text('Account of this service on the orchestrator', 'svc'),
        password: text('Password of that account; write-only, read as ********'),
        token: text('Token in place of a password; write-only, read as ********'),
      })
      .optional()
      .describe('Credentials for the orchestrator'),
    tls: z
      .looseObject({
        enabled: flag('True uses TLS'),
        rejectUnauthorized: flag('True rejects certificates that cannot be verified'),
        ca: text('Certificates to trust, PEM text; empty: those of the system'),
        cert: text('Certificate to present, PEM text; empty: none'),
        key: text('Its private key, PEM text; write-only, read as ********'),
      })
      .optional()
      .describe('Encryption of the connection'),
    timeouts: z
      .looseObject({
        connect: number('Timeout of the connection, in milliseconds', 5000),
        request: number('Timeout of a whole request, in milliseconds', 60000),
      })
      .optional()
      .describe('Timeouts of calls'),
    dialect: z
      .enum(['auto', 'restconf', 'legacy'])
      .optional()
      .describe('API dialect: restconf, legacy (paths below /api), or auto, which detects it when needed'),
    maxConcurrent: number('Maximum number of concurrent requests', 8),
    mediaTypes: texts('Media types of the orchestrator, preferred first', ['application/yang-data+json']),
  })
  .meta({ id: 'OrchestratorConnection', description: 'The connection to an orchestrator over RESTCONF.' });
export type OrchestratorConnection = z.infer<typeof OrchestratorConnection>;

/** Name of an adapter (contract/lifecycle#9): a letter, then up to 63 letters, digits, `_`, `.` or `-`. */
export const AdapterName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'must be a letter followed by at most 63 of A-Z a-z 0-9 _ . -')
  .meta({
    id: 'AdapterName',
    description: 'Name of an adapter: a letter, then up to 63 letters, digits, _ . or -.',
    examples: ['orch-east'],
  });

/** A connection to an external system: orchestrator, gateway, directory, REST service (contract/lifecycle#9). */
export const Adapter = z
  .looseObject({
    name: AdapterName.describe('Name of the adapter, unique; equal to properties.id'),
    type: text('Kind of part', 'Adapter'),
    model: z.string().meta({
      description: 'Package of the adapter',
      examples: ['@vendor/adapter-orchestrator'],
    }),
    properties: z
      .looseObject({
        id: AdapterName.describe('Name of the adapter within its settings'),
        type: z.string().meta({
          description: 'Model of the adapter: Orchestrator, Gateway, Rest or local_aaa',
          examples: ['Orchestrator'],
        }),
        brokers: texts('Kinds of work of the adapter: device, aaa', ['device']),
        groups: texts('Ids of the groups that may use the adapter'),
        properties: record(
          'Connection, as the model defines it (an orchestrator: OrchestratorConnection); secrets are write-only',
        ).meta({ examples: [{ protocol: 'https', host: 'orch.example.net', port: 8888 }] }),
      })
      .describe('Settings of the adapter'),
    loggerProps: LoggerProps.optional(),
    isEncrypted: flag('True when the stored settings are encrypted'),
    virtual: flag('True when the adapter has no process of its own'),
  })
  .meta({ id: 'Adapter', description: 'A connection to an external system.' });
export type Adapter = z.infer<typeof Adapter>;

/** An adapter as shown in lists and reads (contract/lifecycle#9). */
export const AdapterEntry = z
  .looseObject({ metadata: Activity, data: Adapter })
  .meta({ id: 'AdapterEntry', description: 'An adapter, and whether these settings are in use.' });
export type AdapterEntry = z.infer<typeof AdapterEntry>;

/** A change of an adapter (contract/lifecycle#changelogs): the user and the names of the fields, never values. */
export const AdapterChange = z
  .looseObject({
    timestamp: z.iso.datetime().describe('When it was changed'),
    user: z.string().meta({ description: 'Username of who changed it', examples: ['admin'] }),
    fields: z.array(z.string()).meta({
      description: 'Changed fields, with dots between levels',
      examples: [['properties.properties.host', 'properties.properties.authentication.password']],
    }),
  })
  .meta({ id: 'AdapterChange', description: 'One change of an adapter.' });
export type AdapterChange = z.infer<typeof AdapterChange>;
